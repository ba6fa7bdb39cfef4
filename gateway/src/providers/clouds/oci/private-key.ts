/** API signing keys: RSA in PEM, PKCS #1 or PKCS #8, with or without a passphrase. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Secret } from '../../../lib/secret.ts';
import { unavailable } from '../unavailable.ts';
import { derivationCost } from './pem.ts';

/** What the vendor accepts; a longer key would only take longer to sign with. */
const MIN_BITS = 2048;
const MAX_BITS = 4096;
const MAX_CHARS = 16 * 1024;
/** Rounds by which a passphrase becomes a key: they block the process, and callers bring keys of their own. */
const MAX_ROUNDS = 50_000;

// A memo of a pure function: the secrets of a target live as long as it does.
const keys = new WeakMap<Secret, { readonly passphrase: string | undefined; readonly key: KeyObject }>();

/** Throws AppError `CREDENTIAL_UNAVAILABLE`. */
export function privateKeyOf(pem: Secret, passphrase: Secret | undefined): KeyObject {
  const known = keys.get(pem);
  const word = passphrase?.reveal();
  if (known !== undefined && known.passphrase === word) return known.key;
  const key = readKey(pem, word);
  keys.set(pem, { passphrase: word, key });
  return key;
}

function readKey(pem: Secret, passphrase: string | undefined): KeyObject {
  // Keys that went through a shell or a header often hold the two characters `\n` for a line break.
  const text = pem.reveal().replaceAll('\\n', '\n');
  if (text.length > MAX_CHARS || derivationCost(text) > MAX_ROUNDS) {
    throw unavailable('oracle_private_key is too large, or protected by more rounds than are computed here');
  }
  const key = parse(text, passphrase);
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key?.asymmetricKeyType === 'rsa' && bits >= MIN_BITS && bits <= MAX_BITS) return key;
  throw unavailable(
    `oracle_private_key is no RSA key of ${MIN_BITS} to ${MAX_BITS} bits in PEM, or oracle_key_passphrase does not open it`,
  );
}

function parse(text: string, passphrase: string | undefined): KeyObject | undefined {
  try {
    return createPrivateKey({ key: text, format: 'pem', ...(passphrase === undefined ? {} : { passphrase }) });
  } catch {
    return undefined; // what OpenSSL says may quote the key
  }
}
