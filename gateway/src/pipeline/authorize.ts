import { AppError } from '../errors/index.ts';
import type { Caller } from './exchange.ts';
import type { Operation } from './operations/index.ts';

/** Scopes that keys of a workspace cannot have begin so. */
const ORGANISATION = 'organisation_';

/** Throws SCOPE_MISSING when the key does not open the operation. Runs right after authentication, before anything is read. */
export function authorize({ key }: Caller, { scopes }: Operation): void {
  if (opens(key.scopes, scopes)) return;
  const possible = key.workspace === null ? scopes : scopes.filter((scope) => !scope.startsWith(ORGANISATION));
  const named = possible.length === 0 ? scopes : possible;
  throw new AppError('SCOPE_MISSING', { detail: `Forbidden! The API key needs the scope ${named.join(' or ')}` });
}

/** Throws SCOPE_MISSING when the key opens what the gateway answers itself, but no call to a provider. */
export function authorizeUpstream(caller: Caller, operation: Operation): void {
  if (opensUpstream(caller, operation)) return;
  const { upstreamScopes = [], localHint } = operation;
  const hint = localHint === undefined ? '' : `; ${localHint}`;
  throw new AppError('SCOPE_MISSING', {
    detail: `Forbidden! To call a provider the API key needs the scope ${upstreamScopes.join(' or ')}${hint}`,
  });
}

/** Whether the key opens calls of the operation to a provider. */
export const opensUpstream = (
  { key }: Pick<Caller, 'key'>,
  { upstreamScopes }: Pick<Operation, 'upstreamScopes'>,
): boolean => upstreamScopes === undefined || opens(key.scopes, upstreamScopes);

const opens = (held: ReadonlySet<string>, scopes: readonly string[]): boolean =>
  held.has('*') || scopes.some((scope) => held.has(scope));
