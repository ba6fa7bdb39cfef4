import { createHash } from 'node:crypto';

/** The same UUID for the same parts, which nobody can choose: of version 8 (RFC 9562, section 5.8). */
export function hashId(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    hash.update(`${bytes.length}:`).update(bytes);
  }
  const digits = hash.digest('hex');
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}
