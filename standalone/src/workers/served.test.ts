import { NO_SNAPSHOT, type SnapshotStatus } from '@gatehouse/gateway';
import { expect, test } from 'vitest';
import { createServed } from './served.ts';

const worker = (version: number | undefined, mayServe = true) => ({
  mayServe,
  status: version === undefined ? undefined : { ...NO_SNAPSHOT, version },
});

test('a version is served once every worker that may serve has it', () => {
  const served = createServed();
  const seen: SnapshotStatus['version'][] = [];
  served.onChange(({ version }) => seen.push(version));
  served.update([worker(undefined, false), worker(1, false)]);
  expect(served.status).toEqual(NO_SNAPSHOT);
  served.update([worker(1), worker(1, false)]);
  served.update([worker(2), worker(1)]);
  served.update([worker(2), worker(2), worker(1, false)]);
  served.update([]);
  expect(seen).toEqual([1, 2]);
  expect(served.status.version).toBe(2);
});
