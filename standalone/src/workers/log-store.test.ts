import type { LogStore, SealedBatch } from '@gatehouse/gateway';
import { logRow } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createLogStoreClient, executeLogCall } from './log-store.ts';

/** Of the parent: its lines name the row and its time. */
function parentStore(write: LogStore['write']): LogStore {
  return {
    name: 'database',
    lineOf: (row) => `line of ${row.id} at ${row.created_at}`,
    write,
    writeFeedback: async () => undefined,
    isTemporary: () => false,
    dropBefore: async () => undefined,
    close: async () => undefined,
  };
}

test("a batch of a worker has lines of the parent's store", async () => {
  const written: SealedBatch[] = [];
  const parent = parentStore(async (batch) => void written.push(batch));
  const client = createLogStoreClient((id, call) => {
    const received = JSON.parse(JSON.stringify(call)); // between processes
    void executeLogCall(parent, received, () => undefined).then((result) => client.receive(id, result));
  });
  const row = logRow();
  const waiting = { id: row.id, createdAt: row.created_at, workspace: row.workspace, isTold: false, content: '{}' };
  await client.store.write({ id: 'b', records: [{ ...waiting, line: client.store.lineOf(row) }] });
  expect(written).toEqual([{ id: 'b', records: [{ ...waiting, line: `line of ${row.id} at ${row.created_at}` }] }]);
});

test('what the parent could not write is refused for good where its store says so', async () => {
  const parent = parentStore(() => Promise.reject(new Error('refused')));
  const errors: unknown[] = [];
  const client = createLogStoreClient((id, call) => {
    void executeLogCall(parent, call, (error) => void errors.push(error)).then((result) => client.receive(id, result));
  });
  const failure = await client.store.write({ id: 'b', records: [] }).catch((error: unknown) => error);
  expect([client.store.isTemporary(failure), errors]).toEqual([
    false,
    [expect.objectContaining({ message: 'refused' })],
  ]);
});
