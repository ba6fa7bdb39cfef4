import { type LogStore, type SealedBatch, toWaiting } from '@gatehouse/gateway';
import { logRow } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createLogStoreClient, executeLogCall } from './log-store.ts';

/** Of the parent: its lines name the row and its time. */
function parentStore(write: LogStore['write']): LogStore {
  return {
    name: 'database',
    lineOf: (row) => `line of ${row.id} at ${row.created_at}`,
    documentOf: (content, { id }) => `document of ${id}: ${content}`,
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
  const row = logRow({ document: 'database' });
  const sent = [
    { row, content: '{"a":"ä"}' },
    { row, content: undefined, mayRepeat: true },
  ];
  await client.store.write({ id: 'b', records: sent.map((record) => toWaiting(record, client.store)) });
  const line = Buffer.from(`line of ${row.id} at ${row.created_at}`);
  const waiting = { id: row.id, createdAt: row.created_at, workspace: row.workspace, line };
  const records = [
    { ...waiting, isTold: false, document: Buffer.from(`document of ${row.id}: {"a":"ä"}`) },
    { ...waiting, isTold: true, document: undefined },
  ];
  expect(written).toEqual([{ id: 'b', records }]);
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
