import { randomBytes } from 'node:crypto';
import {
  ApiError,
  type Clock,
  createBackoff,
  createNamedWatches,
  type KubeClient,
  keyOf,
  type Log,
  sleep,
  systemClock,
} from '../runtime/index.ts';
import { SECRETS, type SecretObject } from '../world/index.ts';
import { PASSWORD_KEY, POSTGRES_PASSWORD_SECRET } from './secret.ts';

export interface EmbeddedPostgresOptions {
  readonly client: Pick<KubeClient, 'get' | 'watch' | 'mergePatch'>;
  /** The namespace of the operator, of PostgreSQL and of the management API. */
  readonly namespace: string;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
}

const FIELD_MANAGER = 'gatehouse-operator';
const CLAIMANT = { id: 'embedded-postgres' };
const RETRY = { minMs: 500, maxMs: 30_000 };
const PASSWORD_BYTES = 32;

/**
 * Generates the password of the embedded PostgreSQL where the chart has installed a Secret for it without one. An existing password
 * is never replaced: the server keeps the one that its data folder was made with. Runs until the signal ends; never rejects.
 */
export async function keepPostgresPassword(options: EmbeddedPostgresOptions, signal: AbortSignal): Promise<void> {
  const { client, namespace, log, clock = systemClock, random = Math.random } = options;
  const secrets = createNamedWatches<SecretObject>({ client, kind: SECRETS, log, clock, random });
  const key = keyOf({ namespace, name: POSTGRES_PASSWORD_SECRET });
  secrets.want(CLAIMANT, new Set([key]));
  const backoff = createBackoff(RETRY, random);
  let changed = Promise.withResolvers<void>();
  const onChange = (): void => changed.resolve();
  using _secrets = secrets.store.subscribe(onChange);
  signal.addEventListener('abort', onChange, { once: true });
  const watching = secrets.run(signal);
  await secrets.settled(signal).catch(() => {}); // the signal has ended
  while (!signal.aborted) {
    changed = Promise.withResolvers();
    try {
      const present = secrets.store.get(key);
      if (present !== undefined && !present.data?.[PASSWORD_KEY]) await fill(options, present, signal);
      backoff.reset();
      await changed.promise;
    } catch (error) {
      if (signal.aborted) break;
      const reason = error instanceof ApiError ? error.reason : 'Other';
      log.warn({ reason }, 'Could not write the password of PostgreSQL');
      await sleep(backoff.next(), { signal, clock }).catch(() => {}); // the signal has ended
    }
  }
  await watching;
}

/** Writes only on top of what was read: another leader may have written a password. */
async function fill(
  { client, log }: EmbeddedPostgresOptions,
  { metadata: { name, namespace, resourceVersion } }: SecretObject,
  signal: AbortSignal,
): Promise<void> {
  // Of the URL alphabet: the management API has it in a URL.
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const data = { [PASSWORD_KEY]: Buffer.from(password).toString('base64') };
  const patch = { metadata: { resourceVersion }, data };
  await client.mergePatch(SECRETS, { name, namespace }, patch, { signal, fieldManager: FIELD_MANAGER });
  log.info({ secret: POSTGRES_PASSWORD_SECRET }, 'Filled in the password of PostgreSQL');
}
