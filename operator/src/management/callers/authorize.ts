import { RestError } from '../http/rest-error.ts';
import type { Caller } from './caller.ts';

/** Throws RestError FORBIDDEN unless the key has one of the scopes. */
export function authorize({ scopes, keyName }: Caller, needed: readonly string[]): void {
  if (needed.length === 0 || needed.some((scope) => scopes.has(scope))) return;
  throw new RestError('FORBIDDEN', { message: `The key ${keyName} needs the scope ${needed.join(' or ')}` });
}
