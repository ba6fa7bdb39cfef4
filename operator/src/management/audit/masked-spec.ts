/** Content of objects without what could be a secret. Credentials are in Secrets, so that hardly anything is left to hide. */
import { isObject } from '@gatehouse/crds';

const MASK = '********';
/** Members whose texts are hidden, with everything in them. */
const HIDDEN =
  /^(sha256|headers|credentials|.*(password|passphrase|token|secret|authorization|api_?key|private_?key))$/i;
/** Names of Secrets and of their entries. */
const REFERENCE = /(ref|refs|references)$/i;

export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      HIDDEN.test(name) && !REFERENCE.test(name) ? hidden(one) : withoutSecrets(one),
    ]),
  );
}

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one)]));
  return value === undefined || value === null ? value : MASK;
}
