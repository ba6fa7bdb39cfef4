/** Content of objects without what could be a secret. Credentials are in Secrets, so that hardly anything is left to hide. */
import { isObject, withoutGatewayKeys } from '@gatehouse/crds';

export const MASK = '********';
/** Members whose texts are hidden, with everything in them. */
const HIDDEN =
  /^(sha256|headers|credentials|.*(password|passphrase|token|secret|authorization|api[_-]?key|private[_-]?key))$/i;
/** Names of Secrets and of their entries. */
const REFERENCE = /(ref|refs|references)$/i;

/** Names of environment variables whose values are hidden. */
const SECRET_VARIABLE = /key|token|secret|password|passphrase|credential|authorization/i;
/** User and password of a URL. */
const USER_INFO = /(:\/\/)[^/\s@]+@/g;

export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return withoutGatewayKeys(value).replace(USER_INFO, `$1${MASK}@`);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  const { name: variable } = value;
  const isSecret = typeof variable === 'string' && SECRET_VARIABLE.test(variable);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      withoutGatewayKeys(name),
      isHidden(name) || (isSecret && name === 'value') ? hidden(one) : withoutSecrets(one),
    ]),
  );
}

const isHidden = (name: string): boolean => HIDDEN.test(name) && !REFERENCE.test(name);

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one)]));
  return value === undefined || value === null ? value : MASK;
}
