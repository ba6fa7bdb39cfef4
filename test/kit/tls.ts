import { readFileSync } from 'node:fs';

/** A key and a self-signed certificate for localhost and 127.0.0.1, valid for a hundred years; secures nothing. */
export const LOOPBACK_PEM: string = readFileSync(new URL('./testdata/loopback.pem', import.meta.url), 'utf8');
