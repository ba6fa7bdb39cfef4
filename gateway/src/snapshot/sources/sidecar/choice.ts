/** Which of two copies is the newer one: versions name contents and have no order. */
import type { SnapshotFrame } from '@gatehouse/crds/snapshot';

/** Kubelet brings a changed ConfigMap within its sync period and the life of its cache, about 90 s together; in ms. */
export const MOUNT_LAG_MS = 120_000;

export interface Copies {
  readonly mounted: SnapshotFrame | undefined;
  /** When it was first seen. */
  readonly mountedAtMs: number;
  readonly streamed: SnapshotFrame | undefined;
  /** When the stream was last heard of; pings count, since they say that what was sent is still right. */
  readonly heardAtMs: number;
  readonly nowMs: number;
}

/**
 * The stream is right while it is heard, and until the mounted copy must have caught up with it; from then on one that has come
 * since is at least as new. One that was there before is not: the stream may have taken back what it says.
 */
export function chooseCopy({ mounted, mountedAtMs, streamed, heardAtMs, nowMs }: Copies): SnapshotFrame | undefined {
  if (streamed === undefined || mounted === undefined) return streamed ?? mounted;
  const hasCaughtUp = mountedAtMs > heardAtMs && nowMs - heardAtMs >= MOUNT_LAG_MS;
  return hasCaughtUp ? mounted : streamed;
}
