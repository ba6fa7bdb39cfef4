/** Tokens of issuers: their check, and the keys that are fetched for the issuers of the current Snapshot. */
import { createIssuerKeys, createKeyFetcher, createTokenCheck, type TokenCheck } from '../identity/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import type { UpstreamClient } from '../upstream/index.ts';

export interface TokenPortOptions {
  readonly snapshots: Pick<SnapshotHolder, 'current' | 'onChange'>;
  readonly client: UpstreamClient;
  readonly budget: ByteBudget;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

export function createTokens({ snapshots, client, budget, metrics, logger }: TokenPortOptions): {
  readonly tokens: TokenCheck;
  close(): void;
} {
  const failing = new Set<string>();
  const keys = createIssuerKeys({
    fetchKeys: createKeyFetcher({ client, budget }),
    onFetch: (uri, error) => {
      metrics.issuerKeyFetches.add({ result: error === undefined ? 'ok' : 'error' });
      if (error === undefined) failing.delete(uri);
      else if (!failing.has(uri)) {
        failing.add(uri); // there are as many as the Organisation names
        logger.warn({ err: error, uri }, 'Keys of an issuer could not be fetched, the last ones are kept');
      }
    },
    nowMs: () => performance.now(),
    random: Math.random,
    after: (ms, task) => {
      const timer = setTimeout(task, ms).unref();
      return () => clearTimeout(timer);
    },
  });
  const unsubscribe = snapshots.onChange(() => keys.follow(snapshots.current?.issuers() ?? []));
  return {
    tokens: createTokenCheck({ keys, now: Date.now }),
    close: () => {
      unsubscribe();
      keys.close();
    },
  };
}
