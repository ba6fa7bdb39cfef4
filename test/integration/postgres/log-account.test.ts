/** The account of gateways in the PostgreSQL of the management API: docs/behaviour/request-logs.md#writing. */
import { LOG_ACCOUNT } from '@gatehouse/crds/logs';
import { type PostgresServer, startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresStore, type LogStore } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { postgresDialect as dialectOfStore } from '../../../gateway/src/store/index.ts';
import { openRequestLog } from '../../../operator/src/app/management/index.ts';
import {
  createDatabase,
  logTablesIn,
  makeLogAccount,
  postgresDialect,
} from '../../../operator/src/management/index.ts';
import { logRow } from '../../kit/log-row.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const NO_STORE = {
  kind: 'control_plane' as const,
  ...{ bucket: undefined, region: undefined, basePath: undefined, accessKey: undefined },
  ...{ secretKey: undefined, ...{ roleArn: undefined, externalId: undefined }, ca: undefined },
};

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const open = (url: string) => createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: () => undefined });

function asGateway(url: string, password: string): string {
  const own = new URL(url);
  own.username = LOG_ACCOUNT;
  own.password = password;
  return own.href;
}

const storeOf = (url: string, password: string) =>
  createPostgresStore(dialectOfStore({ url: asGateway(url, password) }));

const writeRow = (store: LogStore, id: string = crypto.randomUUID()): Promise<void> =>
  writeRecords(store, [{ row: logRow({ id }), content: undefined }]);

test('writes rows that the management API reads, also where that one has made the tables', async () => {
  const url = await server.database();
  const database = open(url);
  const tables = logTablesIn(database);
  await tables.use((queries) => queries.selectFrom('feedback').select('id').execute());
  await Promise.all([makeLogAccount(database, 'first'), makeLogAccount(database, 'first')]);

  const id = crypto.randomUUID();
  const store = storeOf(url, 'first');
  await writeRow(store, id);

  const name = new URL(url).pathname.slice(1);
  expect(await server.sql('select id from gateway_logs.logs', name)).toContain(id);
  await tables.use((queries) => queries.selectFrom('exports').select('id').execute());
  await Promise.all([store.close(), database.close()]);
});

test('gets the password of the last start, which the server keeps as a verifier alone', async () => {
  const url = await server.database();
  const database = open(url);
  await makeLogAccount(database, "it's of before");
  await makeLogAccount(database, 'of now');
  const before = storeOf(url, "it's of before");
  await expect(writeRow(before)).rejects.toThrow(/password authentication failed/);
  const now = storeOf(url, 'of now');
  await writeRow(now);
  expect(await server.sql(`select rolpassword from pg_authid where rolname = '${LOG_ACCOUNT}'`)).toMatch(
    /SCRAM-SHA-256\$4096:/,
  );
  await Promise.all([before.close(), now.close(), database.close()]);
});

test('sees neither people nor sessions, and makes nothing else', async () => {
  const url = await server.database();
  const database = open(url);
  await makeLogAccount(database, 'of it');
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: asGateway(url, 'of it') });
  await client.connect();
  for (const statement of [
    'select * from gatehouse.users',
    'select * from gatehouse.sessions',
    'create schema other',
    'create role other',
    'alter role current_user superuser',
    'create table public.other (id int)',
  ]) {
    await expect(client.query(statement), statement).rejects.toThrow(/permission denied|must be/);
  }
  await Promise.all([client.end(), database.close()]);
});

test('runs what it has put behind its tables with its own rights, whoever reads', async () => {
  const url = await server.database();
  const database = open(url);
  await makeLogAccount(database, 'of it');
  const store = storeOf(url, 'of it');
  await writeRow(store);
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: asGateway(url, 'of it') });
  await client.connect();
  await client.query(`
    create function gateway_logs.take() returns text language plpgsql as $$ begin
      perform set_config('role', 'none', true);
      execute 'alter role gateway_logs superuser';
      return current_user;
    exception when others then return sqlerrm; end $$`);
  await client.query('alter table gateway_logs.feedback rename to other');
  await client.query('create view gateway_logs.feedback as select gateway_logs.take() as id');

  const reading = openRequestLog(
    {
      logsClickHouseUrl: undefined,
      logsDatabaseUrl: asGateway(url, 'of it'),
      logsAccountPassword: undefined,
      logStore: NO_STORE,
    },
    { database, log: SILENT, variables: {}, ca: undefined },
  );
  const rows = await reading.logDatabase.use((queries) => queries.selectFrom('feedback').select('id').execute());
  expect(rows).toEqual([{ id: expect.stringMatching(/permission denied|must be/) }]);
  const role = await server.sql(`select rolsuper from pg_roles where rolname = '${LOG_ACCOUNT}'`);
  expect(JSON.parse(role)).toEqual([{ rolsuper: false }]);
  await Promise.all([client.end(), store.close(), reading[Symbol.asyncDispose]()]);
  await database.close();
});
