/** A time of expiry that could not be read meant "never"; a listener that threw stopped all later loads. */
import { expect, test } from 'vitest';
import { createSnapshotHolder } from '../../gateway/src/snapshot/index.ts';
import { KEY, key, sha256, snapshot, workspace } from '../kit/snapshot.ts';

test('a key with an unreadable expiry has expired', async () => {
  const holder = createSnapshotHolder({ providers: new Map() });
  await holder.load(1, snapshot(workspace(), key({ expiresAt: 'next week' })));
  expect(holder.current?.key(sha256(KEY))?.expiresAtMs).toBe(0);
});

test('loads go on after a listener that threw', async () => {
  const holder = createSnapshotHolder({ providers: new Map() });
  const stop = holder.onChange(() => {
    throw new Error('boom');
  });
  await holder.load(1, snapshot(workspace())).catch(() => undefined);
  stop();
  expect((await holder.load(2, snapshot(workspace()))).version).toBe(2);
});
