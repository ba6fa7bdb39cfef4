/** Which of two copies is the newer one: versions name contents and have no order. */
import type { SnapshotFrame } from '@gatehouse/crds/snapshot';

/** Kubelet brings a changed ConfigMap within its sync period and the life of its cache, about 90 s together; in ms. */
export const MOUNT_LAG_MS = 120_000;

export interface Copies {
  readonly mounted: SnapshotFrame | undefined;
  readonly streamed: SnapshotFrame | undefined;
  /** When the stream was last heard of; pings count, since they say that what was sent is still right. */
  readonly heardAtMs: number;
  readonly nowMs: number;
}

/**
 * The stream is right while it is heard, and until the mounted copy must have caught up with it; from then on the mounted copy is
 * at least as new.
 */
export function chooseCopy({ mounted, streamed, heardAtMs, nowMs }: Copies): SnapshotFrame | undefined {
  if (streamed === undefined || mounted === undefined) return streamed ?? mounted;
  return nowMs - heardAtMs < MOUNT_LAG_MS ? streamed : mounted;
}
