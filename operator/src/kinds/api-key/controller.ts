import { isObject } from '@gatehouse/crds';
import { type ApiKey, parseResource } from '@gatehouse/crds/kinds';
import { abandonedSecret } from '../../refs/index.ts';
import {
  type Clock,
  type Controller,
  type ControllerMetrics,
  defineController,
  type EventRecorder,
  type KindRef,
  type KubeClient,
  type KubeObject,
  keyOf,
  type Log,
  type NamedWatches,
  nameOf,
  type ObjectKey,
  onChange,
  onReported,
  retryFrom,
  type Store,
  systemClock,
} from '../../runtime/index.ts';
import { mintedSecret } from '../../translate/index.ts';
import { isMinted, isOwn, type KeySecret, mintKey, type NextAction, newSecret, nextActionOf } from './minted.ts';

export interface ApiKeyObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

export interface ApiKeyControllerOptions {
  readonly client: Pick<KubeClient, 'create' | 'mergePatch' | 'delete'>;
  readonly kind: KindRef<ApiKeyObject>;
  readonly secretKind: KindRef<KeySecret>;
  readonly apiKeys: Store<ApiKeyObject>;
  /** Watches the Secrets of all ApiKeys; another component tells it which. */
  readonly secrets: Pick<NamedWatches<KeySecret>, 'store' | 'isKnown' | 'subscribe'>;
  /** Whether the organisation or a workspace owns the namespace: nothing is written into others. */
  readonly isServed: (namespace: string) => boolean;
  /** The period, in days, in which new keys of people are rotated whose ApiKeys do not say; undefined: they are not. */
  readonly userKeyRotationDays: (namespace: string) => number | undefined;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock?: Clock;
}

const FIELD_MANAGER = 'gatehouse-operator';
/** Longest time between two checks, in ms: timers cannot last for months. */
const MAX_WAIT_MS = 12 * 3_600_000;

/**
 * Mints and rotates keys into Secrets that their ApiKeys own, so that Kubernetes removes them together. Enqueue an ApiKey when
 * the owner of its namespace may have changed.
 */
export function apiKeyController(options: ApiKeyControllerOptions): Controller {
  const { client, kind, apiKeys, secrets, log, metrics, clock = systemClock } = options;
  const controller: Controller = defineController<ApiKeyObject>({
    name: 'api-key',
    kind,
    store: apiKeys,
    client,
    fieldManager: FIELD_MANAGER,
    log,
    metrics,
    clock,
    watches: [
      // Most of up to a hundred thousand keys name a hash and need no Secret.
      onChange(apiKeys, (object) => (isRelevant(object) ? [keyOf(object.metadata)] : []), changesWish),
      onChange(secrets.store, ({ metadata }) => apiKeysOf(keyOf(metadata))),
      onReported(secrets, apiKeysOf),
    ],
    reconcile: async ({ object, signal }) => {
      const parsed = parseResource('ApiKey', object);
      const againMs = parsed.ok
        ? await syncSecret({ options, clock, signal }, parsed.value).catch(retryFrom)
        : undefined;
      if (typeof againMs !== 'number') return againMs;
      const afterMs = Math.max(0, Math.min(againMs - clock.wallMs(), MAX_WAIT_MS));
      // After this run: the queue keeps the earliest request for a key that is being processed.
      controller.enqueue(keyOf(object.metadata), { afterMs });
      return undefined;
    },
  });
  return controller;
}

const KEY_SUFFIX = mintedSecret('').name;

/** The ApiKey whose minted key would be in this Secret. */
const apiKeysOf = (secret: ObjectKey): readonly ObjectKey[] =>
  secret.endsWith(KEY_SUFFIX) ? [secret.slice(0, -KEY_SUFFIX.length)] : [];

const isRelevant = (object: ApiKeyObject): boolean =>
  !isObject(object.spec) || object.spec['sha256'] === undefined || abandonedSecret(object) !== undefined;

function changesWish({
  object,
  previous,
}: {
  object: ApiKeyObject | undefined;
  previous: ApiKeyObject | undefined;
}): boolean {
  return wish(object) !== wish(previous);
}

const wish = (object: ApiKeyObject | undefined): string => {
  const { uid, generation, annotations } = object?.metadata ?? {};
  return JSON.stringify([uid, generation, annotations]);
};

interface SyncContext {
  readonly options: ApiKeyControllerOptions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Updates the Secret; returns when to check again, in ms since 1970. */
async function syncSecret(turn: SyncContext, apiKey: ApiKey): Promise<number | undefined> {
  const { options, clock, signal } = turn;
  const { client, secretKind, secrets, isServed } = options;
  const { namespace = '', name } = apiKey.metadata;
  if (!isServed(namespace) || !(isMinted(apiKey) || abandonedSecret(apiKey) !== undefined)) return undefined;
  const key = keyOf({ namespace, name: mintedSecret(name).name });
  if (!secrets.isKnown(key)) return undefined; // a watch triggers the next run
  const secret = secrets.store.get(key);
  if (!isMinted(apiKey)) return discard(turn, apiKey, secret);
  if (secret === undefined) {
    const rotationDays = options.userKeyRotationDays(namespace);
    const made = newSecret(apiKey, mintKey(), { nowMs: clock.wallMs(), rotationDays });
    await client.create(secretKind, made, { signal, fieldManager: FIELD_MANAGER });
    announce(turn, apiKey, 'minted');
    return undefined; // the change of the Secret triggers the next run
  }
  if (!isOwn(secret, apiKey)) return undefined;
  const moment = { nowMs: clock.wallMs(), mint: mintKey, rotationDays: options.userKeyRotationDays(namespace) };
  const { patch, what, againMs } = nextActionOf(apiKey, secret, moment);
  if (patch === undefined) return againMs;
  const { resourceVersion, uid } = secret.metadata;
  const whole = { ...patch, metadata: { ...patch.metadata, resourceVersion, uid } };
  await client.mergePatch(secretKind, nameOf(key), whole, { signal, fieldManager: FIELD_MANAGER });
  announce(turn, apiKey, what);
  return undefined; // as above
}

/** The ApiKey names a key now: the minted one is removed. */
async function discard(
  { options, signal, ...turn }: SyncContext,
  apiKey: ApiKey,
  secret: KeySecret | undefined,
): Promise<undefined> {
  if (secret === undefined || !isOwn(secret, apiKey)) return;
  const { namespace, name, uid, resourceVersion } = secret.metadata;
  await options.client.delete(options.secretKind, { namespace, name }, { signal, uid, resourceVersion });
  announce({ options, signal, ...turn }, apiKey, 'discarded');
}

type ActionTaken = NextAction['what'] | 'minted' | 'discarded';

const NOTES: Partial<Record<ActionTaken, string>> = {
  minted: 'A key was minted',
  repaired: 'The key was missing and another one was minted',
  rotated: 'The key was rotated; the previous one stays good for the transition',
  retired: 'The previous key is no longer good',
  discarded: 'The minted key was removed, since the ApiKey brings one along',
  refused: 'The key cannot be rotated while the previous one is still good',
};

function announce({ options }: SyncContext, regarding: ApiKey, what: ActionTaken): void {
  const note = NOTES[what];
  if (note === undefined) return;
  options.log.info({ apiKey: keyOf(regarding.metadata), what }, 'ApiKey tended');
  const [type, reason] = what === 'refused' ? (['Warning', 'Conflicted'] as const) : (['Normal', 'Succeeded'] as const);
  options.events.record({ regarding, type, reason, action: 'Rotate', note });
}
