/** Limits the number of streams, in total and per namespace. */
import type { SidecarStream } from './stream.ts';

export interface StreamLimits {
  readonly inAll: number;
  readonly perNamespace: number;
}

/**
 * Streams with an empty Snapshot need no consent: anyone who can create a pod can open them. They are for pods that outlive a
 * consent or come before it, and must not take the slots of sidecars that serve. As many as a large namespace has pods: a
 * sidecar that is turned away takes the operator for absent and keeps serving.
 */
export const EMPTY_STREAM_LIMITS: StreamLimits = { inAll: 2_000, perNamespace: 500 };

type StreamSlot = Pick<SidecarStream, 'caller' | 'startedEmpty'>;

/** Whether one more stream fits among those of its kind. */
export function hasRoom(
  streams: Iterable<StreamSlot>,
  { caller, startedEmpty }: StreamSlot,
  limits: StreamLimits,
): boolean {
  const { inAll, perNamespace } = startedEmpty ? EMPTY_STREAM_LIMITS : limits;
  let [all, own] = [0, 0];
  for (const stream of streams) {
    if (stream.startedEmpty !== startedEmpty) continue;
    all += 1;
    if (stream.caller.namespace === caller.namespace) own += 1;
  }
  return all < inAll && own < perNamespace;
}
