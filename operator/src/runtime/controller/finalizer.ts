import { hasReason, type KindRef, type KubeClient, type KubeObject } from '../client/index.ts';
import type { Halt } from './step-result.ts';

/** One attempt to bring the world in line with one object. */
export interface Run<T extends KubeObject> {
  /** Frozen, and shared with all who read the store. */
  readonly object: T;
  /** Ends when the process stops leading or ends, or when the run takes too long. */
  readonly signal: AbortSignal;
}

/** Undoes what lies outside the object's namespace before the object may go (engineering 8.6). */
export interface Finalizer<T extends KubeObject> {
  /** `gatehouse.dev/<purpose>`. */
  readonly name: string;
  /** Must bear being repeated and treat what is gone as done; a halt keeps the object and says why. */
  cleanUp(run: Run<T>): Promise<Halt | undefined>;
}

export interface FinalizerContext<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'mergePatch'>;
  readonly kind: KindRef<T>;
  readonly fieldManager: string;
}

export const isHeldBy = ({ metadata }: KubeObject, name: string): boolean =>
  metadata.finalizers?.includes(name) ?? false;

/** Adds a finalizer to the object as it was read: anyone else's change in between is a conflict. */
export async function hold<T extends KubeObject>(
  context: FinalizerContext<T>,
  { object, signal }: Run<T>,
  name: string,
): Promise<void> {
  await patch(context, { object, signal }, [...(object.metadata.finalizers ?? []), name]);
}

/** Removes a finalizer; an object that is gone is done. */
export async function release<T extends KubeObject>(
  context: FinalizerContext<T>,
  { object, signal }: Run<T>,
  name: string,
): Promise<void> {
  const rest = object.metadata.finalizers?.filter((finalizer) => finalizer !== name) ?? [];
  await patch(context, { object, signal }, rest).catch((error: unknown) => {
    if (!hasReason(error, 'NotFound')) throw error;
  });
}

function patch<T extends KubeObject>(
  { client, kind, fieldManager }: FinalizerContext<T>,
  { object: { metadata }, signal }: Run<T>,
  finalizers: readonly string[],
): Promise<T> {
  const { uid, resourceVersion } = metadata;
  return client.mergePatch(
    kind,
    metadata,
    { metadata: { uid, resourceVersion, finalizers } },
    { signal, fieldManager },
  );
}
