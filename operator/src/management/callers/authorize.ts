import { SCOPES } from '@gatehouse/crds/kinds';
import { RestError } from '../http/rest-error.ts';
import type { Caller } from './caller.ts';

/** Throws RestError FORBIDDEN unless the key has one of the scopes; it names those that keys of its type can have. */
export function authorize({ scopes, keyName, type, isSession }: Caller, needed: readonly string[]): void {
  if (needed.length === 0 || needed.some((scope) => scopes.has(scope))) return;
  const possible = needed.filter((scope) => SCOPES.get(scope)?.includes(type) ?? true);
  const named = possible.length === 0 ? needed : possible;
  const who = isSession ? 'The role of' : 'The key';
  throw new RestError('FORBIDDEN', { message: `${who} ${keyName} needs the scope ${named.join(' or ')}` });
}
