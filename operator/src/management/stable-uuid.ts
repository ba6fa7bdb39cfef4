import { createHash } from 'node:crypto';

/** A UUID of version 8 (RFC 9562) with 120 bits of a hash: the same for the same text. */
export function stableUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
