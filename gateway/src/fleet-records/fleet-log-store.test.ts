import { logRow } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { FleetRequest } from '../fleet/index.ts';
import { writeRecords } from '../request-log/testing.ts';
import type { UpstreamResponse } from '../upstream/index.ts';
import { createFleetLogStore } from './fleet-log-store.ts';
import { MAX_CALL_BYTES } from './protocol.ts';

const FLEET = { url: 'https://fleet:8443' };

function setup(status = 200, reply: object = { refused: 0 }) {
  const sent: FleetRequest[] = [];
  const body = { discard: () => undefined, collect: async () => Buffer.from(JSON.stringify(reply)) };
  const store = createFleetLogStore({
    link: {
      send: async (_to, request) => {
        sent.push(request);
        return { status, headers: {}, body } as unknown as UpstreamResponse; // as much as is read of it
      },
      close: async () => undefined,
    },
    address: () => FLEET,
    timeoutMs: 1_000,
  });
  const write = (...contents: readonly (string | undefined)[]): Promise<unknown> =>
    writeRecords(
      store,
      contents.map((content) => ({ row: logRow({ document: 'database' }), content })),
      'b',
    ).then(
      () => 'written',
      (error: unknown) => ({ error: String(error), isTemporary: store.isTemporary(error) }),
    );
  return { sent, write };
}

const bodyOf = ({ body }: FleetRequest) => JSON.parse(String(body));

test('a batch is one call, with its id', async () => {
  const { sent, write } = setup();
  expect(await write('{}', undefined)).toBe('written');
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /sidecars/v1/records']);
  expect(sent.map(bodyOf)).toEqual([
    { id: 'b', records: [{ row: expect.any(Object), content: '{}' }, { row: expect.any(Object) }] },
  ]);
});

describe('what is too large for a call', () => {
  const large = JSON.stringify({ request: '"'.repeat(MAX_CALL_BYTES / 2) });

  test('is refused as a batch, so that the queue halves it', async () => {
    const { sent, write } = setup();
    expect(await write(large, undefined)).toMatchObject({ isTemporary: false });
    expect(sent).toEqual([]);
  });

  test('goes without its document as a row', async () => {
    const { sent, write } = setup();
    expect(await write(large)).toBe('written');
    expect(sent.map(bodyOf)).toEqual([{ id: 'b', records: [{ row: expect.any(Object) }] }]);
  });
});

test.for([400, 413])('an answer %i says that no later try is better', async (status) => {
  expect(await setup(status).write('{}')).toMatchObject({ isTemporary: false });
});

test.for([401, 403, 404, 429, 500, 503])('after an answer %i the batch is tried again', async (status) => {
  expect(await setup(status).write('{}')).toEqual({ error: `Error: the fleet answered ${status}`, isTemporary: true });
});

test('rows that the fleet refuses are told, and so are all rows where it keeps no log', async () => {
  expect(await setup(200, { refused: 1 }).write('{}', '{}')).toMatchObject({
    error: 'RowsRefused: 1 rows were refused: the fleet does not take them',
  });
  const without = createFleetLogStore({
    link: { send: () => Promise.reject(new Error('unreachable')), close: async () => undefined },
    address: () => undefined,
    timeoutMs: 1_000,
  });
  await expect(writeRecords(without, [{ row: logRow(), content: undefined }])).rejects.toMatchObject({
    rows: 1,
  });
});
