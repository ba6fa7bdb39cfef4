/** Records of writes with kubectl and GitOps: docs/behaviour/people.md#audit */
import { type PostgresServer, startPostgres, unwrap, waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createAuditLog,
  createDatabase,
  createOutsideWrites,
  type Database,
  DatabaseAway,
  type OutsideWritesOptions,
  postgresDialect,
} from '../../../operator/src/management/index.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const AT = '2027-01-01T00:00:00Z';
const NOW = Date.parse(AT) + 1_000;

const WRITE = {
  kind: 'VirtualKey' as const,
  ...{ namespace: 'team-a-ns', name: 'openai', uid: 'u-1', generation: 3, action: 'update' as const, time: AT },
  ...{ mayBeCall: false, manager: 'argocd-controller' },
  before: { provider: 'openai', settings: { api_key: 'of-before' } },
  after: { provider: 'openai', settings: { api_key: 'of-now' } },
};
const DELETION = { ...WRITE, action: 'delete' as const, mayBeCall: true, manager: undefined, after: undefined };

async function opened() {
  const database = createDatabase({
    dialect: unwrap(postgresDialect({ url: await server.database() })),
    onAway: () => undefined,
  });
  const follow = (given: Partial<OutsideWritesOptions> = {}) =>
    createOutsideWrites({
      ...{ database, workspaceOf: async () => 'team-a', onDropped: () => undefined, now: () => NOW, callWaitMs: 1 },
      ...given,
    });
  return { database, follow, [Symbol.asyncDispose]: () => database.close() };
}

const recordsIn = (database: Database) =>
  database.use((queries) => queries.selectFrom('audit_records').selectAll().execute());

test('say who wrote what, without secrets, once for all processes', async () => {
  await using world = await opened();
  const processes = [world.follow(), world.follow()];
  for (const each of processes) each.note(WRITE, false);
  await Promise.all(processes.map((each) => each.close()));

  const records = await recordsIn(world.database);
  expect(records).toMatchObject([
    {
      ...{
        outside: true,
        actor_type: 'anonymous',
        actor_id: 'argocd-controller',
        actor_user: null,
        workspace: 'team-a',
      },
      ...{ operation: 'virtualkeys.update', method: 'PATCH', status: 200, request_id: 'u-1/3', at: new Date(AT) },
      path: '/apis/gatehouse.dev/v1alpha1/namespaces/team-a-ns/virtualkeys/openai',
      changes: [{ kind: 'VirtualKey', object: 'team-a-ns/openai', action: 'update' }],
    },
  ]);
  expect(JSON.stringify(records)).not.toMatch(/of-before|of-now/);
});

test('are there for a deletion that no call has made, and for a write in the name of the management API', async () => {
  await using world = await opened();
  const calls = createAuditLog({ database: world.database, onDropped: () => undefined });
  calls.add({
    ...{ at: new Date(NOW), request_id: 'r', operation: 'virtual_keys.delete', method: 'DELETE', path: '/p' },
    ...{ actor_type: 'api_key', actor_id: 'k', actor_user: null, workspace: 'team-a', status: 200, error_code: null },
    ...{ forced: false, outside: false },
    ...{ request_body: null, query_params: null, request_headers: null, client_ip: null },
    changes: [{ kind: 'VirtualKey', object: 'team-a-ns/openai', action: 'delete', before: {}, after: null }],
  });
  await calls.close();
  const follow = world.follow();
  follow.note(DELETION, false);
  follow.note({ ...DELETION, name: 'other', uid: 'u-2' }, false);
  follow.note({ ...WRITE, uid: 'u-3', mayBeCall: true, manager: 'gatehouse-management' }, false);
  await follow.close();

  const records = await recordsIn(world.database);
  expect(records.filter(({ outside }) => outside)).toMatchObject([
    { operation: 'virtualkeys.delete', actor_id: null, changes: [{ object: 'team-a-ns/other', after: null }] },
    { operation: 'virtualkeys.update', actor_id: 'gatehouse-management' },
  ]);
});

test('are not made anew of what was there long before the process', async () => {
  await using world = await opened();
  const follow = world.follow({ now: () => NOW + 25 * 3_600_000 });
  follow.note(WRITE, true);
  follow.note({ ...WRITE, uid: 'u-3' }, false);
  await follow.close();
  expect(await recordsIn(world.database)).toMatchObject([{ request_id: 'u-3/3' }]);
});

test('wait for the workspaces, and are counted where the database is away until the end', async () => {
  await using world = await opened();
  let isRead = false;
  const workspaceOf = async () => {
    if (!isRead) throw new DatabaseAway('not read');
    return 'team-a';
  };
  const follow = world.follow({ workspaceOf });
  follow.note(WRITE, false);
  isRead = true;
  await waitFor(async () => (await recordsIn(world.database)).length === 1, { what: 'the record' });
  isRead = false;
  follow.note({ ...WRITE, generation: 4 }, false);
  await follow.close();
  expect(follow.dropped()).toBe(1);
});

test('leave out what is too long to be masked between other work', async () => {
  await using world = await opened();
  const follow = world.follow();
  follow.note({ ...WRITE, before: { description: 'x'.repeat(70_000) } }, false);
  await follow.close();
  const [record] = await recordsIn(world.database);
  expect(record?.changes).toMatchObject([{ before: { omitted: true }, after: { provider: 'openai' } }]);
});
