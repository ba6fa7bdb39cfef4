/** Which of two copies is the newer one: versions name contents and have no order. See docs/behaviour/publishing.md. */
import type { SnapshotFrame } from '@gatehouse/crds/snapshot';

/** Kubelet brings a changed ConfigMap within its sync period and the life of its cache, about 90 s together; in ms. */
export const MOUNT_LAG_MS = 120_000;

export interface Copies {
  readonly mounted: SnapshotFrame | undefined;
  /** When it was first seen. */
  readonly mountSeenAtMs: number;
  readonly streamed: SnapshotFrame | undefined;
  /** When the stream was last heard of; pings count, since they say that what was sent is still right. */
  readonly streamConfirmedAtMs: number;
  /** Versions that were served and replaced by others. */
  readonly replacedVersions: ReadonlySet<number>;
  readonly nowMs: number;
}

export interface Freshness extends Pick<Copies, 'streamConfirmedAtMs' | 'nowMs'> {
  /** When kubelet last changed the mounted copy. */
  readonly writtenAtMs: number;
  readonly maxAgeMs: number;
}

/** Nobody has said for so long that what is here still holds: it may have been taken back since. */
export const isExpired = ({ streamConfirmedAtMs, writtenAtMs, nowMs, maxAgeMs }: Freshness): boolean =>
  nowMs - Math.max(streamConfirmedAtMs, writtenAtMs) > maxAgeMs;

/**
 * The stream is right while it is heard, and until the mounted copy must have caught up with it; from then on one that has come
 * since is at least as new. One that was there before is not: the stream may have taken back what it says. Nor is one with a
 * content that was replaced: a backup that was put back looks like that, and nobody may be there to mend it.
 */
export function chooseCopy({
  mounted,
  mountSeenAtMs,
  streamed,
  streamConfirmedAtMs,
  replacedVersions,
  nowMs,
}: Copies): SnapshotFrame | undefined {
  if (streamed === undefined || mounted === undefined) return streamed ?? mounted;
  const hasCaughtUp = mountSeenAtMs > streamConfirmedAtMs && nowMs - streamConfirmedAtMs >= MOUNT_LAG_MS;
  return hasCaughtUp && !replacedVersions.has(mounted.version) ? mounted : streamed;
}
