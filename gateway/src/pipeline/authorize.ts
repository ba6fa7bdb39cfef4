import { AppError } from '../errors/index.ts';
import type { Caller } from './exchange.ts';
import type { Operation } from './operations/index.ts';

/** Throws SCOPE_MISSING when the key does not open the operation. Runs right after authentication, before anything is read. */
export function authorize({ key }: Caller, { scopes }: Operation): void {
  if (key.scopes.has('*') || scopes.some((scope) => key.scopes.has(scope))) return;
  throw new AppError('SCOPE_MISSING', { detail: `Forbidden! The API key needs the scope ${scopes.join(' or ')}` });
}
