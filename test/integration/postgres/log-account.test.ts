/** The account of gateways in the PostgreSQL of the management API: docs/behaviour/request-logs.md#writing. */
import { LOG_ACCOUNT } from '@gatehouse/crds/logs';
import { type PostgresServer, startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresStore } from '../../../gateway/src/request-log/index.ts';
import { postgresDialect as dialectOfStore } from '../../../gateway/src/store/index.ts';
import {
  createDatabase,
  logTablesIn,
  makeLogAccount,
  postgresDialect,
} from '../../../operator/src/management/index.ts';
import { logRow } from '../../kit/log-row.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const open = (url: string) => createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: () => undefined });

const storeOf = (url: string, password: string) => {
  const asGateway = new URL(url);
  asGateway.username = LOG_ACCOUNT;
  asGateway.password = password;
  return createPostgresStore(dialectOfStore({ url: asGateway.href }));
};

const batchOf = (id: string) => ({ id, records: [{ row: logRow({ id }), content: undefined }] });

test('writes rows that the management API reads, also where that one has made the tables', async () => {
  const url = await server.database();
  const database = open(url);
  const tables = logTablesIn(database);
  await tables.use((queries) => queries.selectFrom('feedback').select('id').execute());
  await Promise.all([makeLogAccount(database, 'first'), makeLogAccount(database, 'first')]);

  const id = crypto.randomUUID();
  const store = storeOf(url, 'first');
  await store.write(batchOf(id));

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
  await expect(before.write(batchOf(crypto.randomUUID()))).rejects.toThrow(/password authentication failed/);
  const now = storeOf(url, 'of now');
  await now.write(batchOf(crypto.randomUUID()));
  expect(await server.sql(`select rolpassword from pg_authid where rolname = '${LOG_ACCOUNT}'`)).toMatch(
    /SCRAM-SHA-256\$4096:/,
  );
  await Promise.all([before.close(), now.close(), database.close()]);
});

test('sees neither people nor sessions, and makes nothing else', async () => {
  const url = await server.database();
  const database = open(url);
  await makeLogAccount(database, 'of it');
  const asGateway = new URL(url);
  asGateway.username = LOG_ACCOUNT;
  asGateway.password = 'of it';
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: asGateway.href });
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
