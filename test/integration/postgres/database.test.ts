import { MIGRATIONS } from '@gatehouse/crds/records';
import { type PostgresServer, startPostgres, unwrap, waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDatabase,
  type Database,
  DatabaseAway,
  postgresDialect,
} from '../../../operator/src/management/index.ts';
import { appliedIn, describeDatabase, newUser } from '../../conformance/database/suite.ts';
import { atVersion, writeAsBefore } from './version-before.ts';

const connect = (url: string, onAway: (error: unknown) => void = () => undefined): Database =>
  createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway });

describe('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  describeDatabase('PostgreSQL', async () => {
    const url = await server.database();
    return { open: (onAway) => connect(url, onAway), [Symbol.asyncDispose]: async () => undefined };
  });

  test('gets its tables once from several processes that start together', async () => {
    const url = await server.database();
    const all = Array.from({ length: 5 }, () => connect(url));
    const applied = await Promise.all(all.map(appliedIn));
    for (const names of applied) expect(names).toEqual(MIGRATIONS.map(({ name }) => name));
    await Promise.all(all.map((database) => database.close()));
  });

  test('of the version before gets the new tables while pods of that version go on writing', async () => {
    const url = await server.database();
    const name = new URL(url).pathname.slice(1);
    await atVersion('gatehouse', MIGRATIONS.slice(0, -1), (statements) => server.sql(statements, name));
    await using writer = writeAsBefore((statements) => server.sql(statements, name));
    await writer.wrote(10);
    const all = Array.from({ length: 3 }, () => connect(url));
    const applied = await Promise.all(all.map(appliedIn));
    for (const names of applied) expect(names).toEqual(MIGRATIONS.map((migration) => migration.name));
    await writer.wrote(20);
    const { failures, count } = await writer.end();
    expect(failures).toEqual([]);
    const [database] = all;
    const rows = await database?.use((queries) => queries.selectFrom('users').select('id').execute());
    expect(rows).toHaveLength(count);
    await Promise.all(all.map((each) => each.close()));
  });

  test('that goes away is away, once, and is used again when it is back', async () => {
    const failures: unknown[] = [];
    const database = connect(await server.database(), (error) => failures.push(error));
    const user = newUser();
    await database.use((queries) => queries.insertInto('users').values(user).execute());
    await server.stop();
    await expect(appliedIn(database)).rejects.toBeInstanceOf(DatabaseAway);
    await expect(appliedIn(database)).rejects.toBeInstanceOf(DatabaseAway);
    expect(failures).toHaveLength(1);
    await server.start();
    const rows = await waitFor(() =>
      database
        .use((queries) => queries.selectFrom('users').select('email').execute())
        .catch((error: unknown) => {
          expect(error).toBeInstanceOf(DatabaseAway);
          return undefined;
        }),
    );
    expect(rows).toEqual([{ email: user.email }]);
    await database.close();
  });

  test('that closes a connection between two queries of a transaction fails that transaction alone', async () => {
    const url = await server.database();
    const database = connect(url);
    const name = new URL(url).pathname.slice(1);
    const cut = database.use((queries) =>
      queries.transaction().execute(async (inside) => {
        await inside.selectFrom('users').select('id').execute();
        await server.sql(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and state = 'idle in transaction'`,
          'postgres',
        );
        await inside.selectFrom('users').select('id').execute();
      }),
    );
    await expect(cut).rejects.toBeInstanceOf(DatabaseAway);
    expect(await waitFor(() => appliedIn(database).catch(() => undefined))).toHaveLength(MIGRATIONS.length);
    await database.close();
  });

  test('that is away at the start is opened later', async () => {
    const url = await server.database();
    await server.stop();
    const database = connect(url);
    await expect(appliedIn(database)).rejects.toBeInstanceOf(DatabaseAway);
    await server.start();
    expect(await waitFor(() => appliedIn(database).catch(() => undefined))).toHaveLength(MIGRATIONS.length);
    await database.close();
  });

  test('that refuses the password is away, and nothing says which one it was', async () => {
    const url = new URL(await server.database());
    url.password = 'not-the-password';
    const failures: unknown[] = [];
    const database = connect(url.href, (error) => failures.push(error));
    const failure: unknown = await appliedIn(database).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseAway);
    expect(String(failure) + String(failures[0])).not.toContain('not-the-password');
    await database.close();
  });
});
