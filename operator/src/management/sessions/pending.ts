/**
 * A sign-in that is under way, sealed in a cookie: callers without an account make the database keep nothing, and any replica takes
 * the browser back.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';

const pending = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  endsMs: z.number(),
});
export type Pending = z.output<typeof pending>;

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAX_LENGTH = 8_192;

export interface Seal {
  seal(value: Pending): string;
  /** Undefined for what this key has not sealed, and for what has ended. */
  open(text: string | undefined, nowMs: number): Pending | undefined;
}

/** All replicas have the secret. */
export function createSeal(secret: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'sign-in', KEY_BYTES));
  return {
    seal: (value) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv);
      const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open: (text, nowMs) => {
      const value = text === undefined || text.length > MAX_LENGTH ? undefined : unsealed(text, key);
      return value === undefined || value.endsMs <= nowMs ? undefined : value;
    },
  };
}

function unsealed(text: string, key: Buffer): Pending | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return pending.parse(JSON.parse(plain.toString('utf8')));
  } catch {
    return undefined; // somebody else's
  }
}
