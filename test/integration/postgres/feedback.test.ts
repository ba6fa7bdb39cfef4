/** Feedback on traces, over PostgreSQL. */
import { type PostgresServer, startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CallReport,
  createDatabase,
  type Database,
  logTablesIn,
  postgresDialect,
  toAuditRecord,
} from '../../../operator/src/management/index.ts';
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';

let server: PostgresServer;
let database: Database;
let management: TestManagement;
const reports: CallReport[] = [];
beforeAll(async () => {
  server = await startPostgres();
  database = createDatabase({
    dialect: unwrap(postgresDialect({ url: await server.database() })),
    onAway: () => undefined,
  });
  const caller = { type: 'workspace-user', expiresAtMs: Number.POSITIVE_INFINITY } as const;
  const scopes = new Set(['logs.write']);
  management = await createTestManagement(['configs'], {
    database,
    onCall: (report) => reports.push(report),
    callers: {
      ada: { ...caller, keyId: 'key/team-a/ada', keyName: 'ada', workspace: 'team-a', user: 'ada@example.com', scopes },
      bob: { ...caller, keyId: 'key/team-b/bob', keyName: 'bob', workspace: 'team-b', user: undefined, scopes },
      root: {
        ...{ ...caller, type: 'organisation-service', keyId: 'key/root', keyName: 'root', workspace: undefined },
        ...{ user: undefined, scopes: new Set(['feedbacks.write']) },
      },
    },
  });
});
afterAll(async () => {
  await management?.close();
  await database?.close();
  await server?.[Symbol.asyncDispose]();
});

const give = (body: object, { key = 'ada', query = '' } = {}) =>
  management.call(key, 'POST', `/feedback${query}`, body);
const change = (id: string, body: object, key = 'ada') => management.call(key, 'PUT', `/feedback/${id}`, body);
const kept = async (id: unknown) =>
  logTablesIn(database).use((queries) =>
    queries.selectFrom('feedback').selectAll().where('id', '=', String(id)).executeTakeFirst(),
  );
const idsOf = ({ body }: Awaited<ReturnType<typeof give>>): string[] => body['feedback_ids'] as string[];

describe('feedback', () => {
  test('has no gateway key, wherever it was written', async () => {
    const canary = `gwk_canary${'0123456789'.repeat(3)}`;
    const metadata = { said: `${'x'.repeat(110)} ${canary}`, [canary]: 'name', of: { nested: canary } };
    const [id = ''] = idsOf(await give({ trace_id: canary, value: 5, metadata }));
    const given = await kept(id);
    expect(given).toMatchObject({ trace_id: '[redacted]', metadata: { '[redacted]': 'name' } });
    expect(JSON.stringify(given)).not.toContain('gwk_');
    expect((await change(id, { value: 4, metadata: { said: canary } })).status).toBe(200);
    expect(await kept(id)).toMatchObject({ value: 4, metadata: { said: '[redacted]' } });
  });

  test('of one trace is kept with who gave it', async () => {
    const answer = await give({ trace_id: 't-1', value: 5, weight: 0.5, metadata: { by: 'a tester', stars: 3 } });
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'success', message: expect.any(String) }]);
    expect(idsOf(answer)).toHaveLength(1);
    expect(await kept(idsOf(answer)[0])).toMatchObject({
      ...{ workspace: 'team-a', trace_id: 't-1', value: 5, weight: 0.5, metadata: { by: 'a tester', stars: '3' } },
      ...{ api_key: 'key/team-a/ada', key_user: 'ada@example.com', created_at: new Date(Date.UTC(2027, 0, 1)) },
    });
  });

  test('of several traces has its ids in the order of the list', async () => {
    const answer = await give([
      { trace_id: 't-2', value: -10 },
      { trace_id: 't-3', value: 10 },
    ]);
    const rows = await Promise.all(idsOf(answer).map(kept));
    expect(rows.map((row) => [row?.trace_id, row?.value, row?.weight])).toEqual([
      ['t-2', -10, 1],
      ['t-3', 10, 1],
    ]);
  });

  test.for([-0.1, 1.1, 1e9])('with the weight %d counts as whole', async (weight) => {
    const answer = await give({ trace_id: 't', value: 1, weight });
    expect(await kept(idsOf(answer)[0])).toMatchObject({ weight: 1 });
  });

  test('has metadata within bounds, which any text fits', async () => {
    const metadata = {
      ...Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`m${i}`, i])),
      m0: '😀'.repeat(100),
    };
    const long = await give({ trace_id: 't', value: 1, metadata: { [`${'x'.repeat(127)}😀`]: 'v' } });
    const row = await kept(idsOf(await give({ trace_id: 't', value: 1, metadata }))[0]);
    expect([Object.keys(row?.metadata ?? {}).length, row?.metadata['m0']?.length]).toEqual([64, 128]);
    expect((await kept(idsOf(long)[0]))?.metadata).toEqual({ [`${'x'.repeat(127)}\ufffd`]: 'v' });
  });

  test('is changed by its id, and keeps what the change does not name', async () => {
    const [id = ''] = idsOf(await give({ trace_id: 't', value: 5, weight: 0.5, metadata: { a: 'b' } }));
    const answer = await change(id, { value: -1 });
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'success', feedback_ids: [id] }]);
    expect(await kept(id)).toMatchObject({ value: -1, weight: 0.5, metadata: { a: 'b' } });
    await change(id, { value: 0, weight: 0, metadata: {} });
    expect(await kept(id)).toMatchObject({ value: 0, weight: 0, metadata: {} });
  });

  test('of another workspace is not there', async () => {
    const [id = ''] = idsOf(await give({ trace_id: 't', value: 5 }));
    expect((await change(id, { value: 1 }, 'bob')).status).toBe(404);
    expect((await give({ trace_id: 't', value: 1 }, { query: '?workspace_id=team-b' })).status).toBe(404);
    expect(await kept(id)).toMatchObject({ value: 5 });
  });

  test('of a key of the organisation names its workspace', async () => {
    expect(await give({ trace_id: 't', value: 1 }, { key: 'root' })).toMatchObject({
      ...{ status: 400, body: { status: 'failure', error: { param: 'workspace_id' } } },
    });
    const made = await give({ trace_id: 't', value: 1 }, { key: 'root', query: '?workspace_id=team-b' });
    expect(await kept(idsOf(made)[0])).toMatchObject({ workspace: 'team-b' });
  });

  test('leaves no audit record: it is one of its own', async () => {
    reports.length = 0;
    await give({ trace_id: 't', value: 1 });
    expect(reports.map((report) => [report.status, toAuditRecord(report, 0)])).toEqual([[200, undefined]]);
  });
});

describe('feedback is refused', () => {
  test.for<[string, object, string]>([
    ['with a value above ten', { trace_id: 't', value: 11 }, '033'],
    ['with a value that is not whole', { trace_id: 't', value: 0.5 }, '033'],
    ['with a value that is a text', [{ trace_id: 't', value: '1' }], '033'],
    ['without a trace', { value: 1 }, '032'],
    ['without a value', [{ trace_id: 't' }], '032'],
    ['with an empty trace', { trace_id: '', value: 1 }, '031'],
    ['with a trace that is longer than any', { trace_id: 'x'.repeat(257), value: 1 }, '031'],
    ['with metadata that is none', { trace_id: 't', value: 1, metadata: 'a' }, '031'],
    ['with a member that is misspelt', { trace_id: 't', value: 1, wieght: 1 }, '031'],
    ['as an empty list', [], '031'],
    ['as too long a list', Array.from({ length: 1_001 }, () => ({ trace_id: 't', value: 1 })), '031'],
  ])('%s', async ([, body, code]) => {
    const answer = await give(body);
    expect([answer.status, answer.body]).toMatchObject([400, { status: 'failure', errorCode: 'AB01' }]);
    expect(answer.body['message']).toMatch(new RegExp(`Error code: ${code}$`));
  });

  test.for(['no-uuid', '00000000-0000-4000-8000-000000000000'])('under the id %s, which is none', async (id) => {
    expect(await change(id, { value: 1 })).toMatchObject({
      status: 404,
      body: { status: 'failure', errorCode: 'AB02' },
    });
  });

  test.for([
    ['GET', '/feedback', 'POST'],
    ['PUT', '/feedback', 'POST'],
    ['POST', '/feedback/00000000-0000-4000-8000-000000000000', 'PUT'],
    ['DELETE', '/feedback/no-uuid', 'PUT'],
  ] as const)('with the method %s at %s: %s is meant', async ([method, path, meant]) => {
    const { status, headers, text } = await management.send({ method, url: `/v1${path}?of=nothing` });
    expect([status, headers['allow'], JSON.parse(text)]).toMatchObject([
      ...[405, meant, { status: 'failure', message: expect.stringMatching(/Error code: 01$/) }],
    ]);
  });

  test('at a path that is none: 404', async () => {
    const { status, body } = await management.call('ada', 'POST', '/feedback/a/b', {});
    expect([status, body['errorCode']]).toEqual([404, 'AB02']);
  });

  test('as a list of changes', async () => {
    const [id = ''] = idsOf(await give({ trace_id: 't', value: 1 }));
    expect((await change(id, [{ value: 1 }])).status).toBe(400);
  });

  test('to keys without the scope', async () => {
    expect((await give({ trace_id: 't', value: 1 }, { key: 'a' })).status).toBe(403);
  });

  test('without a request log: 501', async () => {
    const without = await createTestManagement(['feedbacks', 'logs'], {
      callers: {
        ada: {
          ...{ keyId: 'k', keyName: 'ada', type: 'workspace-user', workspace: 'team-a', user: undefined },
          ...{ scopes: new Set(['logs.write']), expiresAtMs: Number.POSITIVE_INFINITY },
        },
      },
    });
    expect(await without.call('ada', 'POST', '/feedback', { trace_id: 't', value: 1 })).toMatchObject({ status: 501 });
    await without.close();
  });
});
