import { hasReason, type KindRef, type KubeClient, type KubeObject } from '../client/index.ts';
import type { Halt } from './step-result.ts';

/** One reconciliation of one object. */
export interface Run<T extends KubeObject> {
  /** Frozen, and shared with other readers of the store. */
  readonly object: T;
  /** Ends when the process stops or loses the lease, or when the run takes too long. */
  readonly signal: AbortSignal;
}

/** Removes what is outside the object's namespace before the object is deleted. */
export interface Finalizer<T extends KubeObject> {
  /** `gatehouse.dev/<purpose>`. */
  readonly name: string;
  /** Must be repeatable and treat missing objects as removed; a halt keeps the object and gives the reason. */
  cleanUp(run: Run<T>): Promise<Halt | undefined>;
}

export interface FinalizerContext<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'mergePatch'>;
  readonly kind: KindRef<T>;
  readonly fieldManager: string;
}

export const hasFinalizer = ({ metadata }: KubeObject, name: string): boolean =>
  metadata.finalizers?.includes(name) ?? false;

/** Adds a finalizer to the object as it was read: a change in between is a conflict. */
export async function addFinalizer<T extends KubeObject>(
  context: FinalizerContext<T>,
  { object, signal }: Run<T>,
  name: string,
): Promise<void> {
  await patch(context, { object, signal }, [...(object.metadata.finalizers ?? []), name]);
}

/** Removes a finalizer; a deleted object needs nothing. */
export async function removeFinalizer<T extends KubeObject>(
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
