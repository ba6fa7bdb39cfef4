import { createLogger, readEnvironment, type SnapshotStatus, toSettings } from '@gatehouse/gateway';
import { snapshot, waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createWorkerPool } from './pool.ts';
import { createTestChild } from './testing.ts';

const LOADED: SnapshotStatus = {
  version: 1,
  epoch: 0,
  digest: undefined,
  entries: 0,
  rejected: undefined,
  skipped: [],
};

test('a worker that is about to listen finishes its requests too', async () => {
  const child = createTestChild(1);
  const pool = createWorkerPool({
    count: 1,
    settings: toSettings(readEnvironment({ PORT: '0', HOST: '127.0.0.1', GATEHOUSE_ADMIN_PORT: '0' })),
    logger: createLogger({ level: 'fatal', service: 'test', destination: { write: () => undefined } }),
    writeLog: () => undefined,
    fork: () => child,
    sourceStatus: () => undefined,
  });
  void pool.listen();
  pool.load(1, snapshot());
  await waitFor(() => child.got.includes('entries'), { what: 'the Snapshot' });
  child.tell({ type: 'loaded', status: LOADED });
  await waitFor(() => child.got.includes('listen'), { what: 'a request to listen' });

  const drained = pool.drain();
  expect(child.got.slice(-1)).toEqual(['drain']);
  child.exit();
  await drained;
  expect(child.got).not.toContain('killed');
});
