import { randomBytes } from 'node:crypto';
import { isOfOrganisation, readFleet } from '../kinds/gateway-fleet/index.ts';
import {
  ApiError,
  type Clock,
  createBackoff,
  createNamedWatches,
  type KubeClient,
  type KubeObject,
  keyOf,
  type Log,
  type NamedWatches,
  type ObjectKey,
  type Store,
  sleep,
  systemClock,
} from '../runtime/index.ts';
import { SECRETS, type SecretObject } from '../world/index.ts';
import {
  isFilled,
  passwordInUrl,
  passwordOf,
  REDIS_PASSWORD_SECRET,
  type RedisPurpose,
  urlChange,
  withPassword,
} from './secrets.ts';

export interface EmbeddedRedisOptions {
  readonly client: Pick<KubeClient, 'get' | 'watch' | 'mergePatch'>;
  /** The namespace of the operator and of Redis. */
  readonly namespace: string;
  readonly fleetNamespaces: ReadonlySet<string>;
  readonly fleets: Pick<Store<KubeObject>, 'objects' | 'subscribe'>;
  /** Secrets by name, shared with other users. */
  readonly secrets: Pick<NamedWatches<SecretObject>, 'store' | 'want' | 'settled'>;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
}

const FIELD_MANAGER = 'gatehouse-operator';
const CLAIMANT = { id: 'embedded-redis' };
const RETRY = { minMs: 500, maxMs: 30_000 };
const PASSWORD_BYTES = 32;
/** How long a first password waits for Secrets that may hold an earlier one, in ms. */
const SECRETS_MS = 5_000;

/**
 * Generates the password of the embedded Redis where the chart has installed a Secret for it, and writes its URL into the
 * Secrets that fleets of the organisation name and that carry the label. An existing password is never replaced. Runs until the
 * signal ends; never rejects.
 */
export async function keepRedisPassword(options: EmbeddedRedisOptions, signal: AbortSignal): Promise<void> {
  const { client, namespace, fleets, secrets, log, clock = systemClock, random = Math.random } = options;
  const own = createNamedWatches<SecretObject>({ client, kind: SECRETS, log, clock, random });
  const ownKey = keyOf({ namespace, name: REDIS_PASSWORD_SECRET });
  own.want(CLAIMANT, new Set([ownKey]));
  const backoff = createBackoff(RETRY, random);
  let changed = Promise.withResolvers<void>();
  const onChange = (): void => changed.resolve();
  using _own = own.store.subscribe(onChange);
  using _fleets = fleets.subscribe(onChange);
  using _secrets = secrets.store.subscribe(onChange);
  signal.addEventListener('abort', onChange, { once: true });
  const watching = own.run(signal);
  await own.settled(signal).catch(() => {}); // the signal has ended
  while (!signal.aborted) {
    changed = Promise.withResolvers();
    try {
      const present = own.store.get(ownKey);
      if (present === undefined) secrets.want(CLAIMANT, new Set());
      else await fill(options, present, signal);
      backoff.reset();
      await changed.promise;
    } catch (error) {
      if (signal.aborted) break;
      const reason = error instanceof ApiError ? error.reason : 'Other';
      log.warn({ reason }, 'Could not hand out the password of Redis');
      await sleep(backoff.next(), { signal, clock }).catch(() => {}); // the signal has ended
    }
  }
  secrets.want(CLAIMANT, new Set());
  await watching;
}

async function fill(options: EmbeddedRedisOptions, present: SecretObject, signal: AbortSignal): Promise<void> {
  const { namespace, secrets, log } = options;
  const uses = usesOf(options);
  const known = passwordOf(present);
  secrets.want(CLAIMANT, new Set(uses.keys()));
  if (known === undefined) {
    await secrets
      .settled(AbortSignal.any([signal, AbortSignal.timeout(SECRETS_MS)]))
      .catch(() => signal.throwIfAborted());
  }
  const marked = [...uses].flatMap(([name, purposes]) => {
    const secret = secrets.store.get(name);
    return secret !== undefined && isFilled(secret) ? [{ secret, purposes }] : [];
  });
  if (known === undefined) {
    const before = marked
      .flatMap(({ secret, purposes }) => [...purposes.keys()].map((key) => passwordInUrl(secret, key)))
      .find((text) => text !== undefined);
    const password = before ?? randomBytes(PASSWORD_BYTES).toString('base64url');
    await write(options, present, withPassword(password), signal);
    log.info({ secret: REDIS_PASSWORD_SECRET, restored: before !== undefined }, 'Filled in the password of Redis');
    return; // its watch triggers the next attempt
  }
  for (const { secret, purposes } of marked) {
    const changes = [...purposes].flatMap(([key, purpose]) => {
      const change = urlChange(secret, key, { namespace, password: known, purpose });
      return change === undefined ? [] : [change];
    });
    if (changes.length === 0) continue;
    await write(options, secret, Object.assign({}, ...changes), signal);
    log.info({ secret: keyOf(secret.metadata) }, 'Filled in the URL of Redis');
  }
}

/** The Secrets with URLs of Redis that fleets of the organisation name, and what their entries are for; counters go first. */
function usesOf({ fleets, fleetNamespaces }: EmbeddedRedisOptions): ReadonlyMap<ObjectKey, Map<string, RedisPurpose>> {
  const uses = new Map<ObjectKey, Map<string, RedisPurpose>>();
  const stores = [...fleets.objects.values()].flatMap((object) => {
    const { namespace = '' } = object.metadata;
    const fleet = isOfOrganisation(namespace, { fleetNamespaces }) ? readFleet(object) : undefined;
    return fleet?.kind === 'GatewayFleet' ? [{ namespace, redis: fleet.spec.stores?.redis }] : [];
  });
  for (const [field, purpose] of FIELDS) {
    for (const { namespace, redis } of stores) {
      const ref = redis?.[field];
      if (ref === undefined) continue;
      const name = keyOf({ namespace, name: ref.name });
      const entries = uses.get(name) ?? new Map<string, RedisPurpose>();
      if (!entries.has(ref.key)) entries.set(ref.key, purpose);
      uses.set(name, entries);
    }
  }
  return uses;
}

const FIELDS = [
  ['urlSecretRef', 'counters'],
  ['cacheUrlSecretRef', 'cache'],
] as const satisfies readonly (readonly [string, RedisPurpose])[];

/** Writes only on top of what was read: other clients may write, too. */
async function write(
  { client }: EmbeddedRedisOptions,
  { metadata }: SecretObject,
  data: SecretObject['data'],
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace, resourceVersion } = metadata;
  const patch = { metadata: { resourceVersion }, data };
  await client.mergePatch(SECRETS, { name, namespace }, patch, { signal, fieldManager: FIELD_MANAGER });
}
