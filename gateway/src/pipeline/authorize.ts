import { AppError } from '../errors/index.ts';
import type { Caller } from './exchange.ts';
import type { Operation } from './operations/index.ts';

/** Whether the key opens the operation; right after authentication (decision 24). Throws SCOPE_MISSING. */
export function authorize({ key }: Caller, { scopes }: Operation): void {
  if (key.scopes.has('*') || scopes.some((scope) => key.scopes.has(scope))) return;
  throw new AppError('SCOPE_MISSING', { detail: `Forbidden! The API key needs the scope ${scopes.join(' or ')}` });
}
