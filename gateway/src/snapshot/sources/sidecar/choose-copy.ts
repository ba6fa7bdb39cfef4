/** Decides which of two copies is newer; their versions identify contents and have no order: docs/behaviour/publishing.md. */
import type { SnapshotFrame } from '@gatehouse/crds/snapshot';

/** Longest delay of a mounted ConfigMap, in ms: kubelet's sync period and cache lifetime are about 90 s together. */
export const MOUNT_LAG_MS = 120_000;

export interface CopyCandidates {
  readonly mounted: SnapshotFrame | undefined;
  /** When the mounted copy was first seen. */
  readonly mountSeenAtMs: number;
  readonly streamed: SnapshotFrame | undefined;
  /** When the stream last confirmed its copy, by a frame or a ping. */
  readonly streamConfirmedAtMs: number;
  /** Versions that were served and replaced. */
  readonly replacedVersions: ReadonlySet<number>;
  readonly nowMs: number;
}

export interface Freshness extends Pick<CopyCandidates, 'streamConfirmedAtMs' | 'nowMs'> {
  /** When kubelet last changed the mounted copy. */
  readonly writtenAtMs: number;
  readonly maxAgeMs: number;
}

/** Whether nothing has confirmed the copy for too long: it may have been revoked since. */
export const isExpired = ({ streamConfirmedAtMs, writtenAtMs, nowMs, maxAgeMs }: Freshness): boolean =>
  nowMs - Math.max(streamConfirmedAtMs, writtenAtMs) > maxAgeMs;

/**
 * The streamed copy is used while the stream confirms it, and until the mounted copy must have caught up. From then on a mounted
 * copy that appeared later is at least as new. One that was mounted before is not, since the stream may have revoked its
 * content; nor is one whose version was replaced before, as after the restore of a backup.
 */
export function chooseCopy({
  mounted,
  mountSeenAtMs,
  streamed,
  streamConfirmedAtMs,
  replacedVersions,
  nowMs,
}: CopyCandidates): SnapshotFrame | undefined {
  if (streamed === undefined || mounted === undefined) return streamed ?? mounted;
  const hasCaughtUp = mountSeenAtMs > streamConfirmedAtMs && nowMs - streamConfirmedAtMs >= MOUNT_LAG_MS;
  return hasCaughtUp && !replacedVersions.has(mounted.version) ? mounted : streamed;
}
