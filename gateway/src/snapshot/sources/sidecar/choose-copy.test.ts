import { SCHEMA_VERSION, type SnapshotFrame } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { chooseCopy, MOUNT_LAG_MS } from './choose-copy.ts';

const frame = (version: number): SnapshotFrame => ({
  kind: 'snapshot',
  version,
  schemaVersion: SCHEMA_VERSION,
  entries: [],
});
const [mounted, streamed] = [frame(1), frame(2)];

describe('the newer copy', () => {
  test.for([
    { rule: 'is none when there is none', copies: {}, silenceMs: 0, mountedMs: 0, want: undefined },
    {
      rule: 'is the mounted one before the stream has sent one',
      copies: { mounted },
      silenceMs: 0,
      mountedMs: 0,
      want: mounted,
    },
    {
      rule: 'is the streamed one without a mounted one',
      copies: { streamed },
      silenceMs: 1e9,
      mountedMs: 0,
      want: streamed,
    },
    {
      rule: 'is the streamed one while the stream confirms it',
      copies: { mounted, streamed },
      silenceMs: 1_000,
      mountedMs: 500,
      want: streamed,
    },
    {
      rule: 'is a mounted one that came later when that has had the time to catch up',
      copies: { mounted, streamed },
      silenceMs: MOUNT_LAG_MS,
      mountedMs: 500,
      want: mounted,
    },
    {
      rule: 'is never a mounted one that was there before',
      copies: { mounted, streamed },
      silenceMs: 1e9,
      mountedMs: -500,
      want: streamed,
    },
    {
      rule: 'is never a mounted one with a content that was replaced, as a backup puts it back',
      copies: { mounted, streamed, replacedVersions: new Set([mounted.version]) },
      silenceMs: 1e9,
      mountedMs: 500,
      want: streamed,
    },
  ])('$rule', ({ copies, silenceMs, mountedMs, want }) => {
    const [streamConfirmedAtMs, mountSeenAtMs, nowMs] = [5, 5 + mountedMs, 5 + silenceMs];
    const nothing = { mounted: undefined, streamed: undefined, replacedVersions: new Set<number>() };
    expect(chooseCopy({ ...nothing, ...copies, streamConfirmedAtMs, mountSeenAtMs, nowMs })).toBe(want);
  });
});
