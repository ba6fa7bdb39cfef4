/** The issuer of ServiceAccount tokens, as the API server describes it (OpenID Connect Discovery 1.0). */
import { parseJwks } from '@gatehouse/crds/kinds';
import { z } from 'zod';
import { type Clock, type KubeClient, type Log, sleep, systemClock } from '../runtime/index.ts';
import type { ClusterIssuer } from '../translate/index.ts';

const DISCOVERY_PATH = '/.well-known/openid-configuration';
const KEYS_PATH = '/openid/v1/jwks';

/** API servers serve a new key long before they sign with it. */
const REFRESH_MS = 60_000;
const RETRY_MS = 5_000;

const discovery = z.looseObject({ issuer: z.string().min(1).max(2048) });

export interface ClusterIssuerOptions {
  readonly client: Pick<KubeClient, 'read'>;
  readonly log: Log;
  readonly onChange: () => void;
  readonly clock?: Clock;
}

export interface ClusterIssuerWatch {
  /** The same object as long as its content is the same; undefined before it is read, and where it cannot be. */
  readonly current: ClusterIssuer | undefined;
  /** Reads it until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves after the first attempt; rejects with the reason of the signal. */
  settled(signal: AbortSignal): Promise<void>;
}

/** What was read last stays while the API server is away. */
export function watchClusterIssuer({
  client,
  log,
  onChange,
  clock = systemClock,
}: ClusterIssuerOptions): ClusterIssuerWatch {
  let current: ClusterIssuer | undefined;
  let isFailing = false;
  const first = Promise.withResolvers<void>();
  const refresh = async (signal: AbortSignal): Promise<number> => {
    try {
      const read = await readIssuer(client, signal);
      if (JSON.stringify(read) !== JSON.stringify(current)) {
        current = read;
        onChange();
      }
      isFailing = false;
      return REFRESH_MS;
    } catch (error) {
      if (!isFailing && !signal.aborted) log.warn({ err: error }, 'The issuer of ServiceAccount tokens was not read');
      isFailing = true;
      return RETRY_MS;
    } finally {
      first.resolve();
    }
  };
  return {
    get current() {
      return current;
    },
    run: async (signal) => {
      while (!signal.aborted) {
        const waitMs = await refresh(signal);
        await sleep(waitMs, { signal, clock }).catch(() => {}); // the signal ends the loop
      }
    },
    settled: (signal) =>
      new Promise((resolve, reject) => {
        const give = (): void => reject(signal.reason);
        signal.addEventListener('abort', give, { once: true });
        void first.promise.then(resolve).finally(() => signal.removeEventListener('abort', give));
      }),
  };
}

async function readIssuer(client: Pick<KubeClient, 'read'>, signal: AbortSignal): Promise<ClusterIssuer> {
  const { issuer } = discovery.parse(await client.read(DISCOVERY_PATH, { signal }));
  const keys = parseJwks(JSON.stringify(await client.read(KEYS_PATH, { signal })));
  if (!keys.ok) throw new Error(`the key set of the API server ${keys.error}`);
  return { issuer, keys: keys.value };
}
