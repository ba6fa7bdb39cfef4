/** Keeps the resources of the management API in the API server. */
import type { Result } from '@gatehouse/crds';
import { isKindName, KINDS, type KindName } from '@gatehouse/crds/kinds';
import type { ReviewView } from '../../../review/index.ts';
import {
  type Clock,
  createCache,
  type FeedTiming,
  type FollowerHealth,
  type KubeClient,
  type Log,
} from '../../../runtime/index.ts';
import { kindRefOf } from '../../../world/index.ts';
import type { Place, ResourceStore } from '../port.ts';
import { type KeptObjects, keepObjects, type ObjectListener } from './kept-objects.ts';
import { unlessAbsent } from './problems.ts';
import { createSecretWriter } from './secrets.ts';
import type { ParseOptions } from './stored-object.ts';
import { createTurns } from './turns.ts';
import { createObject, deleteObject, updateObject, type WriteParts } from './writes.ts';

export interface KubernetesStoreOptions {
  readonly client: KubeClient;
  /** Where namespaced Kinds are watched. */
  readonly namespaces: 'all' | readonly string[];
  /** Default: all. */
  readonly kinds?: readonly KindName[];
  /** What is known of the installation: writes are reviewed against it before the webhook reviews them. */
  readonly view: ReviewView;
  /** As the operator has them. */
  readonly parse?: ParseOptions;
  /** Ends the calls that are under way. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly timing?: FeedTiming;
  readonly clock?: Clock;
  /** Told of what watches read. */
  readonly onChange?: ObjectListener | undefined;
}

export interface KubernetesStore {
  /** Reads see what the watches have read, and each write of this process that was answered. They throw before that is complete. */
  readonly resources: ResourceStore;
  /** Watches until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Waits until everything has been read; after the timeout: what is missing. */
  synced(options: {
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
  }): Promise<Result<void, readonly FollowerHealth[]>>;
  health(): readonly FollowerHealth[];
}

/** Nothing is read before `run`. Writes reject with ApiError where the API server does not answer or answers what is no verdict. */
export function createKubernetesStore(options: KubernetesStoreOptions): KubernetesStore {
  const { client, view, parse, signal, clock, onChange, kinds = Object.keys(KINDS).filter(isKindName) } = options;
  const cache = createCache(options);
  const kept = keepObjects(cache, { kinds, parse, clock, onChange });
  let isComplete = false;
  const objects = (): KeptObjects => {
    isComplete ||= cache.health().every(({ synced }) => synced);
    if (!isComplete) throw new Error('the resources have not been read yet');
    return kept;
  };
  const secrets = createSecretWriter({
    client,
    exists: async ({ kind, ...name }) =>
      (await unlessAbsent(client.get(kindRefOf(kind), name, { signal }))) !== undefined,
    signal,
  });
  const inTurn = createTurns();
  const parts = (): WriteParts => ({ client, objects: objects(), secrets, view, parse, signal });
  return {
    resources: {
      get: async (place) => objects().get(place),
      list: async (kind, namespace) => objects().list(kind, namespace),
      find: async (kind, uid) => objects().find(kind, uid),
      create: (place, draft, how) => inTurn(placeKey(place), () => createObject(parts(), place, { draft, how })),
      update: (place, change, how) => inTurn(placeKey(place), () => updateObject(parts(), place, { change, how })),
      delete: (place, how) => inTurn(placeKey(place), () => deleteObject(parts(), place, how)),
    },
    run: (running) => cache.run(running),
    synced: (given) => cache.synced(given),
    health: () => cache.health(),
  };
}

const placeKey = ({ kind, namespace = '', name }: Place): string => `${kind}/${namespace}/${name}`;
