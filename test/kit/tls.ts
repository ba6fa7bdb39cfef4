import { readFileSync } from 'node:fs';

/** A key and a self-signed certificate for localhost and 127.0.0.1, valid for a hundred years; secures nothing. */
export const LOOPBACK_PEM: string = readFileSync(new URL('./testdata/loopback.pem', import.meta.url), 'utf8');

/** Another key and certificate for the same names. */
export const RENEWED_PEM: string = readFileSync(new URL('./testdata/loopback-renewed.pem', import.meta.url), 'utf8');
