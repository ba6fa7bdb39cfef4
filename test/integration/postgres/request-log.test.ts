/** The request log in a real PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { createPartition, DAILY_TABLES, dayOf, LOG_SCHEMA, MIGRATIONS } from '@gatehouse/crds/logs';
import { startPostgres } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createPostgresStore, type LogStore } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { postgresDialect } from '../../../gateway/src/store/index.ts';
import { describeServedLogStore } from '../../conformance/request-log/log-stores.ts';
import { logRow } from '../../kit/log-row.ts';
import { atVersion } from './version-before.ts';

test('an account of its own owns the tables, whoever makes them', async () => {
  await using server = await startPostgres();
  const url = await server.database();
  const name = new URL(url).pathname.slice(1);
  await server.sql(
    "create role gateway_logs login password 'own'; create schema gateway_logs authorization gateway_logs",
    name,
  );
  const write = async (account: string) => {
    const store = createPostgresStore(postgresDialect({ url: account }));
    const record = { row: logRow(), content: undefined };
    await writeRecords(store, [record]).finally(() => store.close());
  };
  await write(url);
  await write(url.replace(/\/\/[^@]+@/, '//gateway_logs:own@'));
  const owners = `select distinct tableowner from pg_tables where schemaname = 'gateway_logs' and tablename in ('logs', 'migrations')`;
  expect(JSON.parse(await server.sql(owners, name))).toEqual([{ tableowner: 'gateway_logs' }]);
  expect(JSON.parse(await server.sql('select count(*)::int as n from gateway_logs.logs', name))).toEqual([{ n: 2 }]);
});

test('of the version before gets the new tables while pods of that version go on writing', async () => {
  await using server = await startPostgres();
  const url = await server.database();
  const name = new URL(url).pathname.slice(1);
  const run = (statements: string): Promise<string> => server.sql(statements, name);
  await atVersion(LOG_SCHEMA, MIGRATIONS.slice(0, -1), run);
  const row = logRow();
  for (const table of DAILY_TABLES) await run(createPartition(table, dayOf(row.created_at)));
  const columns = JSON.parse(
    await run(
      "select column_name as name from information_schema.columns where table_schema = 'gateway_logs' and table_name = 'logs'",
    ),
  );
  const names = columns.map(({ name: column }: { name: string }) => column).join(', ');
  const writeAsBefore = (): Promise<string> => {
    const json = JSON.stringify({ ...row, id: randomUUID(), created_at: new Date(row.created_at).toISOString() });
    return run(
      `insert into gateway_logs.logs (${names}) select ${names} from json_populate_record(null::gateway_logs.logs, '${json}')`,
    );
  };
  const stores = [1, 2, 3].map(() => createPostgresStore(postgresDialect({ url })));
  const write = (store: LogStore) => writeRecords(store, [{ row: { ...row, id: randomUUID() }, content: '{}' }]);

  await writeAsBefore();
  await Promise.all([...stores.map(write), writeAsBefore(), writeAsBefore()]);
  await writeAsBefore();

  await Promise.all(stores.map((store) => store.close()));
  expect(JSON.parse(await run('select count(*)::int as n from gateway_logs.logs'))).toEqual([{ n: 7 }]);
  const applied = JSON.parse(await run('select name from gateway_logs.migrations order by name'));
  expect(applied).toEqual(MIGRATIONS.map((migration) => ({ name: migration.name })));
});

test('documents are compressed with lz4', async () => {
  await using server = await startPostgres();
  const url = await server.database();
  const store = createPostgresStore(postgresDialect({ url }));
  const row = logRow({ document: 'database' });
  await writeRecords(store, [{ row, content: JSON.stringify({ text: 'again '.repeat(2_000) }) }]);
  await store.close();
  const kept = await server.sql(
    'select pg_column_compression(content) as method from gateway_logs.documents',
    new URL(url).pathname.slice(1),
  );
  expect(JSON.parse(kept)).toEqual([{ method: 'lz4' }]);
});

describeServedLogStore('PostgreSQL', async () => {
  const server = await startPostgres();
  const url = await server.database();
  const name = new URL(url).pathname.slice(1);
  const store = createPostgresStore(postgresDialect({ url }));
  return {
    store,
    stranger: () => createPostgresStore(postgresDialect({ url: url.replace(/:[^:@]+@/, ':wrong@') })),
    rows: async (query) => JSON.parse(await server.sql(query, name)),
    stop: server.stop,
    start: server.start,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await server[Symbol.asyncDispose]();
    },
  };
});
