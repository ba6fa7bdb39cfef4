import { SCHEMA_VERSION, type SnapshotFrame } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { chooseCopy, MOUNT_LAG_MS } from './choice.ts';

const frame = (version: number): SnapshotFrame => ({
  kind: 'snapshot',
  version,
  schemaVersion: SCHEMA_VERSION,
  entries: [],
});
const [mounted, streamed] = [frame(1), frame(2)];

describe('the newer copy', () => {
  test.for([
    { rule: 'is none when there is none', copies: {}, silenceMs: 0, want: undefined },
    { rule: 'is the mounted one before the stream has sent one', copies: { mounted }, silenceMs: 0, want: mounted },
    { rule: 'is the streamed one without a mounted one', copies: { streamed }, silenceMs: 1e9, want: streamed },
    { rule: 'is the streamed one while it is heard', copies: { mounted, streamed }, silenceMs: 1_000, want: streamed },
    {
      rule: 'is the mounted one when that has had the time to catch up',
      copies: { mounted, streamed },
      silenceMs: MOUNT_LAG_MS,
      want: mounted,
    },
  ])('$rule', ({ copies, silenceMs, want }) => {
    const given = { mounted: undefined, streamed: undefined, ...copies, heardAtMs: 5, nowMs: 5 + silenceMs };
    expect(chooseCopy(given)).toBe(want);
  });
});
