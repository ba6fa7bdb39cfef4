import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random characters of an id whose vendor does not expect another number. */
export const ID_CHARS = 24;

/** A prefix and `length` random letters and digits. Not a secret: one byte per character, slightly uneven. */
export const newId = (prefix: string, length = ID_CHARS): string => prefix + lettersOf(randomBytes(length));

/** A letter or digit per byte. */
export function lettersOf(bytes: Uint8Array): string {
  let letters = '';
  for (const byte of bytes) letters += ALPHABET[byte % ALPHABET.length];
  return letters;
}

/** `length` random hex digits. */
export function randomHex(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
}
