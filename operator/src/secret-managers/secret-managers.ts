/** The fetcher with real calls. */

import { createHttp } from '../guarded-http/index.ts';
import type { SecretFetch } from '../translate/index.ts';
import { fetchSecret } from './fetch-secret.ts';
import { createSecretFetcher, type Fetched, type FetchOutcome, type SecretFetcher } from './fetcher.ts';
import { createOwnIdentity } from './own-identity.ts';

interface Log {
  warn(details: object, message: string): void;
}

export interface SecretManagersOptions {
  /** The environment of the process, for its own identities. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** File with the token for Vault; absent: there is none. */
  readonly vaultTokenFile?: string | undefined;
  /** Namespaces that contain only the installation itself. */
  readonly ownNamespaces: readonly string[];
  readonly log: Log;
  readonly onFetched?: ((manager: string, outcome: FetchOutcome) => void) | undefined;
}

export function createSecretManagers(options: SecretManagersOptions): SecretFetcher {
  const { variables, vaultTokenFile, ownNamespaces, log, onFetched = () => {} } = options;
  const http = createHttp({ ownNamespaces });
  const identity = createOwnIdentity({ variables, vaultTokenFile });
  const note = ({ key, spec }: SecretFetch, { outcome, problem, isNews }: Fetched): void => {
    onFetched(spec.manager, outcome);
    if (problem === undefined || !isNews) return;
    log.warn({ secretReference: key, manager: spec.manager, problem }, 'Secret of a SecretReference was not fetched');
  };
  return createSecretFetcher({
    fetchSecret: (fetch, signal) => fetchSecret(fetch, { http, identity, nowMs: Date.now, signal }),
    onFetched: note,
  });
}
