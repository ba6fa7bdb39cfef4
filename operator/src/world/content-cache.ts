/**
 * Which content of resources is kept in memory: what the next translation reads. A translation keeps what it needs of what it
 * has read, and content beyond the quota of a workspace is not kept at all; where either is needed again, it is fetched.
 */
import type { KindName } from '@gatehouse/crds/kinds';
import {
  hasReason,
  type KubeClient,
  keyOf,
  type Log,
  nameOf,
  namespaceOf,
  type ObjectKey,
  type Store,
  type StoreWriter,
} from '../runtime/index.ts';
import { type ContentState, type Translation, type Weight, weigh } from '../translate/index.ts';
import { createByteCounts } from './content-limits.ts';
import { createFetchQueue, idOf, type Wanting } from './fetch-queue.ts';
import { type CustomObject, FETCHABLE_KINDS, kindRefOf } from './kind-refs.ts';
import { createSlimmer } from './slim.ts';

/** Kinds whose content is dropped once it has been read: most of the memory of a large installation. */
const DROPPED_ONCE_READ: ReadonlySet<KindName> = new Set<KindName>(['GatewayConfig']);
/** A translation that drops content is worth running for this many bytes. */
const WORTH_BYTES = 1024 * 1024;

export type ContentStore = Store<CustomObject> & Pick<StoreWriter<CustomObject>, 'amend' | 'put'>;

export interface ContentCacheOptions {
  readonly client: Pick<KubeClient, 'get'>;
  /** How many bytes are kept of a namespace. */
  readonly contentLimitOf: (namespace: string) => number;
  /** Annotations of our group that are read. */
  readonly annotations: readonly string[];
  readonly log: Log;
}

export interface ContentCache {
  /** The `transform` of the store of a Kind. */
  transformOf(kind: KindName): (object: CustomObject, kept: CustomObject | undefined) => CustomObject;
  /** To be called for each store before it is filled. */
  follow(kind: KindName, store: ContentStore): void;
  /** How many bytes of the object a translation would have to read. */
  bytesOf(kind: KindName, key: ObjectKey): number;
  /**
   * Drops content that the translation has read or refused, and requests what it lacks. True when another translation is
   * worthwhile.
   */
  settle(translation: Translation, touch: (kind: KindName, key: ObjectKey) => void): boolean;
  /** Fetches contents until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export function createContentCache({ client, contentLimitOf, annotations, log }: ContentCacheOptions): ContentCache {
  const stores = new Map<KindName, ContentStore>();
  const byteCounts = createByteCounts();
  const queue = createFetchQueue(log);
  const slimmed = createSlimmer(annotations);
  const keep = (kind: KindName, object: CustomObject, kept: CustomObject | undefined): CustomObject => {
    const slim = slimmed(kind, object, sameContent(kept, object));
    if (!FETCHABLE_KINDS.has(kind)) return slim;
    const id = idOf(kind, keyOf(object.metadata));
    const namespace = object.metadata.namespace ?? '';
    if (kept !== undefined && isSameContent(kept, object) && !queue.has(id)) return withContentOf(kept, slim);
    const weight = weigh(slim);
    const others = byteCounts.sum(namespace) - byteCounts.of(namespace, id);
    if (queue.has(id) || others + weight.bytes <= contentLimitOf(namespace)) {
      byteCounts.set(namespace, id, weight.bytes);
      return slim;
    }
    byteCounts.set(namespace, id, 0);
    return withoutContent(slim, weight);
  };
  const dropContent = ({ kind, key, content }: ContentState): number => {
    const store = stores.get(kind);
    const object = store?.get(key);
    if (store === undefined || object === undefined || object.weight !== undefined) return 0;
    const weight = weigh(object);
    store.amend(withoutContent(object, weight), { notify: false });
    if (content === 'refused') byteCounts.set(namespaceOf(key) ?? '', idOf(kind, key), 0);
    return weight.bytes;
  };
  const fetch = async ({ kind, key }: Wanting, signal: AbortSignal): Promise<void> => {
    const store = stores.get(kind);
    const object = await client.get(kindRefOf(kind), nameOf(key), { signal }).catch(unlessGone);
    const kept = store?.get(key);
    if (object === undefined || kept === undefined || store === undefined) return;
    if (kept.metadata.resourceVersion === object.metadata.resourceVersion)
      store.amend(keep(kind, object, kept), { notify: true });
    else store.put(object, { initial: false });
  };

  return {
    transformOf: (kind) => (object, kept) => keep(kind, object, kept),
    follow: (kind, store) => {
      if (!FETCHABLE_KINDS.has(kind)) return;
      stores.set(kind, store);
      store.subscribe(({ key, object }) => {
        if (object !== undefined) return;
        byteCounts.set(namespaceOf(key) ?? '', idOf(kind, key), 0);
        queue.drop(idOf(kind, key));
      });
    },
    bytesOf: (kind, key) => {
      const object = stores.get(kind)?.get(key);
      return object === undefined || object.weight !== undefined
        ? 0
        : byteCounts.of(namespaceOf(key) ?? '', idOf(kind, key));
    },
    settle: ({ contents }, touch) => {
      let bytes = 0;
      for (const state of contents) {
        const { kind, key, object, content } = state;
        const now = stores.get(kind)?.get(key);
        if (now === undefined || !isSameContent(now, object)) continue; // the next translation is about it
        if (content === 'awaited') queue.add({ kind, key });
        else if (content === 'refused' || DROPPED_ONCE_READ.has(kind)) {
          bytes += dropContent(state);
          touch(kind, key);
        }
      }
      return bytes >= WORTH_BYTES;
    },
    run: (signal) => queue.run(fetch, signal),
  };
}

function unlessGone(error: unknown): undefined {
  if (!hasReason(error, 'NotFound')) throw error;
}

interface Identified {
  readonly metadata: { readonly [member: string]: unknown };
}

const isSameContent = (a: Pick<CustomObject, 'metadata'>, b: Identified | CustomObject): boolean => {
  const { uid, generation } = b.metadata;
  return a.metadata.uid === uid && a.metadata.generation === generation;
};

/** An object with the content of another version of the same generation, which may have been dropped. */
const withContentOf = ({ spec, weight }: CustomObject, object: CustomObject): CustomObject =>
  weight === undefined ? { ...object, spec } : withoutContent(object, weight);

const withoutContent = (object: CustomObject, weight: Weight): CustomObject => ({ ...object, spec: undefined, weight });

/** The previous form of an object whose content is still the same, unless the content was dropped. */
const sameContent = (kept: CustomObject | undefined, object: CustomObject): CustomObject | undefined =>
  kept !== undefined && kept.weight === undefined && isSameContent(kept, object) ? kept : undefined;
