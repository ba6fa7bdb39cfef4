/** What wrote the records is read again, over PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { type PostgresServer, startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createAuditLog,
  createDatabase,
  type Database,
  postgresDialect,
} from '../../../operator/src/management/index.ts';
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';

let server: PostgresServer;
let database: Database;
let management: TestManagement;
beforeAll(async () => {
  server = await startPostgres();
  database = createDatabase({
    dialect: unwrap(postgresDialect({ url: await server.database() })),
    onAway: () => undefined,
  });
  management = await createTestManagement(['audit_logs'], { database });
  await database.use((queries) => queries.insertInto('audit_records').values(ROWS).execute());
});
afterAll(async () => {
  await management?.close();
  await database?.close();
  await server?.[Symbol.asyncDispose]();
});

const row = (minute: number, over: object = {}) => ({
  ...{ id: randomUUID(), at: new Date(Date.UTC(2027, 0, 1, 0, minute)), request_id: `r${minute}` },
  ...{ operation: 'configs.create', method: 'POST', path: '/v1/configs', actor_type: 'api_key' as const },
  ...{
    actor_id: 'key-1',
    actor_user: null,
    workspace: 'team-a',
    status: 200,
    error_code: null,
    forced: false,
    outside: false,
  },
  ...{ request_body: null, query_params: null, request_headers: null, client_ip: null },
  changes: JSON.stringify([{ kind: 'GatewayConfig', object: 'team-a/c', action: 'create', before: null, after: {} }]),
  ...over,
});
const ROWS = [
  row(1),
  row(2, { operation: 'api_keys.rotate', path: '/v1/api-keys/x/rotate', actor_user: 'ada' }),
  row(3, {
    method: 'DELETE',
    operation: 'configs.delete',
    status: 409,
    error_code: 'AB07',
    forced: true,
    outside: false,
  }),
  row(4, { actor_type: 'anonymous', actor_id: null, workspace: null, status: 401, error_code: 'AB05' }),
  row(5, { workspace: 'team-gone', operation: 'usage_limit_policies.reset_entity', client_ip: '203.0.113.7' }),
];

/** As the database would get it. */
const NUL = '%00';

const read = (query = '', key = 'organisation') => management.call(key, 'GET', `/audit-logs${query}`);
const found = async (query: string): Promise<unknown[]> =>
  ((await read(query)).body['records'] as { request_id: string }[]).map(({ request_id }) => request_id);

describe('records of writes', () => {
  test('are listed with the newest first, and have what was changed', async () => {
    const { status, body } = await read();
    expect([status, body]).toMatchObject([200, { object: 'list', total: 5 }]);
    const records = body['records'] as Record<string, unknown>[];
    expect(records.map((record) => record['request_id'])).toEqual(['r5', 'r4', 'r3', 'r2', 'r1']);
    expect(records[0]).toMatchObject({
      ...{ resource_type: 'usage_limit_policies', action: 'manage', workspace_id: 'team-gone' },
      ...{ operation: 'usage_limit_policies.reset_entity', client_ip: '203.0.113.7', country: null },
    });
    expect(records[1]).toMatchObject({ user_id: null, user_type: 'anonymous', workspace_id: null });
    expect(records[3]).toMatchObject({ user_id: 'ada', user_type: 'api_key', action: 'rotate' });
    const workspace = (await management.store.get({ kind: 'Workspace', namespace: undefined, name: 'team-a' }))?.meta;
    expect(records[4]).toMatchObject({
      ...{ timestamp: '2027-01-01T00:01:00.000Z', method: 'POST', uri: '/v1/configs', user_id: 'key-1' },
      ...{ workspace_id: workspace?.uid, response_status_code: 200, error_code: null, forced: false },
      changes: [{ kind: 'GatewayConfig', object: 'team-a/c', action: 'create', before: null, after: {} }],
    });
  });

  test.for([
    ['?start_time=2027-01-01T00:02:00Z&end_time=2027-01-01T00:03:00Z', ['r3', 'r2']],
    ['?method=DELETE', ['r3']],
    ['?uri=/v1/api-keys/x/rotate', ['r2']],
    ['?request_id=r4', ['r4']],
    ['?user_id=ada', ['r2']],
    ['?user_id=key-1&method=POST', ['r5', 'r2', 'r1']],
    ['?user_type=anonymous', ['r4']],
    ['?workspace_id=team-gone', ['r5']],
    ['?response_status_code=409', ['r3']],
    ['?resource_type=configs', ['r4', 'r3', 'r1']],
    ['?resource_type=api%25', []],
    ['?action=rotate', ['r2']],
    ['?action=manage', ['r5']],
    ['?action=create', ['r4', 'r1']],
    ['?action=export', []],
    ['?action=reset_entity', ['r5']],
    ['?client_ip=203.0.113.7', ['r5']],
    ['?country=DE', []],
    ['?page_size=2&current_page=1', ['r3', 'r2']],
  ] as const)('are found with %s', async ([query, want]) => {
    expect(await found(query)).toEqual(want);
  });

  test('of a workspace are found by its UUID', async () => {
    const workspace = await management.store.get({ kind: 'Workspace', namespace: undefined, name: 'team-a' });
    expect(await found(`?workspace_id=${workspace?.meta.uid}`)).toEqual(['r3', 'r2', 'r1']);
  });

  test('of a key have its id, and are found by it', async () => {
    const place = { kind: 'ApiKey', namespace: 'team-a', name: 'app' } as const;
    const spec = { type: 'workspace-service', scopes: ['logs.list'], sha256: 'a'.repeat(64) } as const;
    const { meta } = unwrap(await management.store.create(place, { spec }, { force: false }));
    const own = row(6, { actor_id: 'key/team-a/app' });
    await database.use((queries) => queries.insertInto('audit_records').values(own).execute());
    for (const id of [meta.uid, 'key/team-a/app']) expect(await found(`?user_id=${id}`)).toEqual(['r6']);
    expect((await read('?request_id=r6')).body).toMatchObject({ records: [{ user_id: meta.uid }] });
  });

  test('are in pages of a hundred at most', async () => {
    const many = Array.from({ length: 120 }, (_, i) => row(10, { request_id: `many-${i}`, operation: 'many.create' }));
    await database.use((queries) => queries.insertInto('audit_records').values(many).execute());
    const { body } = await read('?resource_type=many&page_size=1000');
    expect([body['total'], (body['records'] as unknown[]).length]).toEqual([120, 100]);
    expect(await found('?resource_type=many&page_size=1000&current_page=1')).toHaveLength(20);
  });

  test('are refused to keys without the scope, and with a filter that is none', async () => {
    const other = await createTestManagement(['configs'], { database });
    expect((await other.call('organisation', 'GET', '/audit-logs')).status).toBe(403);
    await other.close();
    for (const query of ['?client=10.0.0.1', '?start_time=yesterday', '?method=GET', '?response_status_code=x']) {
      expect((await read(query)).status, query).toBe(400);
    }
  });

  test('are not there without a database: 503', async () => {
    const without = await createTestManagement(['audit_logs']);
    expect(await without.call('organisation', 'GET', '/audit-logs')).toMatchObject({ status: 503 });
    await without.close();
  });
});

test.for(['workspace_id', 'user_id', 'uri'])('a filter %s that is no text is refused', async (name) => {
  expect(await read(`?${name}=${NUL}`)).toMatchObject({ status: 400, body: { error: { param: name } } });
});

test('contents with what no database keeps are kept without it, and stop no record behind them', async () => {
  const dropped: unknown[] = [];
  const audit = createAuditLog({ database, onDropped: (record) => dropped.push(record) });
  const change = { kind: 'VirtualKey', object: 'team-a/v', action: 'create' as const, before: null };
  const record = { ...ROWS[0], changes: [{ ...change, after: { note: 'a\0b \ud800' } }] };
  const ids = ['nul', 'behind-nul'].map((request_id) => {
    const { id: _, ...row } = { ...record, id: '', request_id };
    audit.add(row as Parameters<typeof audit.add>[0]); // a row without its id
    return request_id;
  });
  await audit.close();
  const kept = await database.use((queries) =>
    queries.selectFrom('audit_records').selectAll().where('request_id', 'in', ids).orderBy('request_id').execute(),
  );
  expect(dropped).toEqual([]);
  expect(kept.map(({ request_id }) => request_id)).toEqual(['behind-nul', 'nul']);
  expect(JSON.stringify(kept[1]?.changes)).toContain('a\ufffdb \ufffd');
});
