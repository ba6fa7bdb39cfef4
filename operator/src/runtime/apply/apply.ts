import { digestOf } from '@gatehouse/crds/snapshot';
import {
  apiVersionOf,
  type KindRef,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ObjectKey,
} from '../client/index.ts';
import { covers } from './covers.ts';

export interface ApplierOptions {
  readonly client: Pick<KubeClient, 'apply'>;
  /** It never changes: fields in clusters belong to it. */
  readonly fieldManager: string;
  /** The annotation that keeps the digest of what was applied. */
  readonly digestAnnotation: string;
  /** The Kinds that will be applied. */
  readonly kinds: readonly KindRef[];
  /** The object in the cache; undefined when it does not exist or is not watched. */
  readonly live: (kind: KindRef, key: ObjectKey) => KubeObject | undefined;
}

export interface Applier {
  /**
   * Makes an object equal to the output of a pure function; `object` is the whole intent. No call when the digest of the intent
   * has not changed and the cached object still has all applied fields. Rejects with ApiError.
   */
  apply(object: KubeObject, options: { readonly signal: AbortSignal }): Promise<'applied' | 'unchanged'>;
}

/** Server-side apply by one field manager that takes its fields back from others. */
export function createApplier({ client, fieldManager, digestAnnotation, kinds, live }: ApplierOptions): Applier {
  const byType = new Map(kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind]));
  return {
    apply: async (object, { signal }) => {
      const kind = byType.get(`${object.apiVersion}/${object.kind}`);
      if (kind === undefined) throw new TypeError(`${object.apiVersion} ${object.kind} is not among the applied Kinds`);
      const digest = digestOf(object);
      const intent = withAnnotation(object, digestAnnotation, digest);
      const present = live(kind, keyOf(object.metadata));
      // The digest covers what the intent no longer has; the comparison covers what others have changed.
      if (present?.metadata.annotations?.[digestAnnotation] === digest && covers(present, intent)) return 'unchanged';
      await client.apply(kind, intent, { fieldManager, force: true, signal });
      return 'applied';
    },
  };
}

function withAnnotation(object: KubeObject, name: string, value: string): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: value } } };
}
