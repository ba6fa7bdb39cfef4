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
import { encodePasswords, isFilled, passwordInUrl, passwordsOf, urlChange } from './fleet-secrets.ts';
import type { EmbeddedServer, EmbeddedUrl } from './servers.ts';

export interface EmbeddedOptions {
  readonly client: Pick<KubeClient, 'get' | 'watch' | 'mergePatch'>;
  /** The namespace of the operator and of the servers. */
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
const RETRY = { minMs: 500, maxMs: 30_000 };
const PASSWORD_BYTES = 32;
/** How long a first password waits for Secrets that may hold an earlier one, in ms. */
const SECRETS_MS = 5_000;

/** Entries of one Secret, and the URLs that they have. */
type Entries = ReadonlyMap<string, EmbeddedUrl>;

/**
 * Generates the passwords of a server where the chart has installed a Secret for them, and writes its URLs into the Secrets that fleets of
 * the organisation name and that carry the label. An existing password is never replaced: the server may run with it, or its data folder
 * was made with it. Runs until the signal ends; never rejects.
 */
export async function keepPasswords(
  server: EmbeddedServer,
  options: EmbeddedOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace, fleets, secrets, log, clock = systemClock, random = Math.random } = options;
  const claimant = { id: `embedded-${server.title}` };
  const own = createNamedWatches<SecretObject>({ client, kind: SECRETS, log, clock, random });
  const ownKey = keyOf({ namespace, name: server.secret });
  own.want(claimant, new Set([ownKey]));
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
      const uses = present === undefined ? new Map<ObjectKey, Entries>() : usesOf(server, options);
      secrets.want(claimant, new Set(uses.keys()));
      if (present !== undefined) await fill({ ...options, server, uses }, present, signal);
      backoff.reset();
      await changed.promise;
    } catch (error) {
      if (signal.aborted) break;
      const reason = error instanceof ApiError ? error.reason : 'Other';
      log.warn({ reason }, `Could not hand out the passwords of ${server.title}`);
      await sleep(backoff.next(), { signal, clock }).catch(() => {}); // the signal has ended
    }
  }
  secrets.want(claimant, new Set());
  await watching;
}

interface FillOptions extends EmbeddedOptions {
  readonly server: EmbeddedServer;
  readonly uses: ReadonlyMap<ObjectKey, Entries>;
}

async function fill(options: FillOptions, present: SecretObject, signal: AbortSignal): Promise<void> {
  const { server, uses, namespace, secrets, log } = options;
  const known = passwordsOf(present, server);
  const missing = server.passwords.filter((key) => !known.has(key));
  if (missing.length > 0) {
    await secrets
      .settled(AbortSignal.any([signal, AbortSignal.timeout(SECRETS_MS)]))
      .catch(() => signal.throwIfAborted());
  }
  const marked = [...uses].flatMap(([name, entries]) => {
    const secret = secrets.store.get(name);
    return secret !== undefined && isFilled(secret, server) ? [{ secret, entries }] : [];
  });
  if (missing.length > 0) {
    const made = new Map(missing.map((key) => [key, writtenBefore(marked, key) ?? newPassword()]));
    await write(options, present, encodePasswords(made), signal);
    log.info({ secret: server.secret, entries: missing }, `Filled in passwords of ${server.title}`);
    return; // its watch triggers the next attempt
  }
  for (const { secret, entries } of marked) {
    const changes = [...entries].flatMap(([key, { urlOf, password }]) => {
      const change = urlChange(secret, key, urlOf(namespace, known.get(password) ?? ''));
      return change === undefined ? [] : [change];
    });
    if (changes.length === 0) continue;
    await write(options, secret, Object.assign({}, ...changes), signal);
    log.info({ secret: keyOf(secret.metadata) }, `Filled in the URL of ${server.title}`);
  }
}

interface MarkedSecret {
  readonly secret: SecretObject;
  readonly entries: Entries;
}

/** Of the URL alphabet: the management API has it in a URL. */
const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

const writtenBefore = (marked: readonly MarkedSecret[], password: string): string | undefined =>
  marked
    .flatMap(({ secret, entries }) =>
      [...entries].map(([key, url]) => (url.password === password ? passwordInUrl(secret, key, url) : undefined)),
    )
    .find((text) => text !== undefined);

/** The Secrets with URLs of the server that fleets of the organisation name, and what their entries are for. */
function usesOf(
  { urls }: EmbeddedServer,
  { fleets, fleetNamespaces }: EmbeddedOptions,
): ReadonlyMap<ObjectKey, Entries> {
  const uses = new Map<ObjectKey, Map<string, EmbeddedUrl>>();
  const read = [...fleets.objects.values()].flatMap((object) => {
    const { namespace = '' } = object.metadata;
    const fleet = isOfOrganisation(namespace, { fleetNamespaces }) ? readFleet(object) : undefined;
    return fleet?.kind === 'GatewayFleet' ? [{ namespace, spec: fleet.spec }] : [];
  });
  for (const url of urls) {
    for (const { namespace, spec } of read) {
      const ref = url.refOf(spec);
      if (ref === undefined) continue;
      const name = keyOf({ namespace, name: ref.name });
      const entries = uses.get(name) ?? new Map<string, EmbeddedUrl>();
      if (!entries.has(ref.key)) entries.set(ref.key, url);
      uses.set(name, entries);
    }
  }
  return uses;
}

/** Writes only on top of what was read: other clients may write, too. */
async function write(
  { client }: EmbeddedOptions,
  { metadata }: SecretObject,
  data: SecretObject['data'],
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace, resourceVersion } = metadata;
  const patch = { metadata: { resourceVersion }, data };
  await client.mergePatch(SECRETS, { name, namespace }, patch, { signal, fieldManager: FIELD_MANAGER });
}
