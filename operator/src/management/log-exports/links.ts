/** Links to the file of an export, which open it without a key until they end. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ExportRow } from '@gatehouse/crds/logs';

type Signer = Pick<ExportRow, 'id' | 'link_key'>;

/** 256 random bits. */
export const newLinkKey = (): string => randomBytes(32).toString('hex');

const signatureOf = ({ id, link_key }: Signer, expires: number): Buffer =>
  createHmac('sha256', Buffer.from(link_key, 'hex')).update(`${id}\n${expires}`).digest();

/** `expires`: Unix time in seconds. */
export function linkOf(row: Signer, expires: number): string {
  const signature = signatureOf(row, expires).toString('base64url');
  return `/v1/logs/exports/${row.id}/file?expires=${expires}&signature=${signature}`;
}

export function isGoodLink(
  row: Signer,
  { expires, signature }: { expires: number; signature: string },
  nowMs: number,
): boolean {
  const given = Buffer.from(signature, 'base64url');
  const own = signatureOf(row, expires);
  return given.length === own.length && timingSafeEqual(given, own) && expires * 1_000 > nowMs;
}
