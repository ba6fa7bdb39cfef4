/** The request log in a real PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { startPostgres } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createPostgresStore } from '../../../gateway/src/request-log/index.ts';
import { postgresDialect } from '../../../gateway/src/store/index.ts';
import { describeServedLogStore } from '../../conformance/request-log/log-stores.ts';
import { logRow } from '../../kit/log-row.ts';

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
    await store.write({ id: randomUUID(), records: [record] }).finally(() => store.close());
  };
  await write(url);
  await write(url.replace(/\/\/[^@]+@/, '//gateway_logs:own@'));
  const owners = `select distinct tableowner from pg_tables where schemaname = 'gateway_logs' and tablename in ('logs', 'migrations')`;
  expect(JSON.parse(await server.sql(owners, name))).toEqual([{ tableowner: 'gateway_logs' }]);
  expect(JSON.parse(await server.sql('select count(*)::int as n from gateway_logs.logs', name))).toEqual([{ n: 2 }]);
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
