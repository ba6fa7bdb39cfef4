/** What each secret manager provides. */
import type { Result } from '@gatehouse/crds';
import type { Http } from '../guarded-http/index.ts';
import type { FetchProblem, ManagedValue, SecretFetch } from '../translate/index.ts';
import type { OwnIdentity } from './own-identity.ts';

export interface FetchContext {
  readonly http: Http;
  readonly identity: OwnIdentity;
  /** Unix time in ms. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/** Fetches the secret once. Never rejects; an error says nothing of what was answered. */
export type FetchSecret = (fetch: SecretFetch, context: FetchContext) => Promise<Result<ManagedValue, FetchProblem>>;
