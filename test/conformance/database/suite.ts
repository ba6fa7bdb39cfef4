/** What every database of the management API does: operator/src/management/database/database.ts. */
import { randomUUID } from 'node:crypto';
import { MIGRATIONS } from '@gatehouse/crds/records';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createRetention,
  createRevisions,
  type Database,
  DatabaseAway,
} from '../../../operator/src/management/index.ts';

export interface OpenedDatabases extends AsyncDisposable {
  /** The same data with each call; the test closes it. */
  open(onAway?: (error: unknown) => void): Database;
}

export const newUser = (email = `${randomUUID()}@example.com`) => ({
  id: randomUUID(),
  email,
  first_name: 'Ada',
  last_name: 'L',
  role: 'member' as const,
  active: true,
  external_id: null,
  issuer: null,
  subject: null,
  user_name: null,
  user_name_key: null,
  display_name: null,
  created_at: new Date(Date.UTC(2027, 0, 1)),
  updated_at: new Date(Date.UTC(2027, 0, 1)),
});

export const appliedIn = (database: Database): Promise<string[]> =>
  database.use(async (queries) => {
    const { rows } = await sql<{ name: string }>`select name from gatehouse.migrations order by name`.execute(queries);
    return rows.map(({ name }) => name);
  });

export function describeDatabase(name: string, prepare: () => Promise<OpenedDatabases>): void {
  describe(`a database in ${name}`, () => {
    let databases: OpenedDatabases;
    let database: Database;
    beforeAll(async () => {
      databases = await prepare();
      database = databases.open();
    });
    afterAll(async () => {
      await database.close();
      await databases[Symbol.asyncDispose]();
    });
    const reopen = async (): Promise<Database> => {
      await database.close();
      database = databases.open();
      return database;
    };

    test('has the tables of all migrations, each applied once', async () => {
      expect(await appliedIn(database)).toEqual(MIGRATIONS.map((migration) => migration.name));
      expect(await appliedIn(await reopen())).toEqual(MIGRATIONS.map((migration) => migration.name));
    });

    test('gives rows back as they were written, after it was closed, too', async () => {
      const user = newUser();
      const changes = [{ kind: 'ApiKey', object: 'a/b', action: 'create', before: null, after: { spec: [1, null] } }];
      const record = {
        ...{ id: randomUUID(), at: new Date(Date.UTC(2027, 0, 1, 1, 2, 3, 456)), request_id: 'r', operation: 'o' },
        ...{ method: 'PUT', path: '/p', actor_type: 'api_key' as const, actor_id: 'k', actor_user: null },
        ...{ workspace: null, status: 200, error_code: null, forced: true, outside: false },
        ...{ request_body: '{"a":1}', query_params: null, request_headers: '{}', client_ip: '203.0.113.7' },
      };
      await database.use(async (queries) => {
        await queries.insertInto('users').values(user).execute();
        await queries
          .insertInto('audit_records')
          .values({ ...record, changes: JSON.stringify(changes) })
          .execute();
      });
      const [foundUser, foundRecord] = await (await reopen()).use(async (queries) => [
        await queries.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirst(),
        await queries.selectFrom('audit_records').selectAll().where('id', '=', record.id).executeTakeFirst(),
      ]);
      expect(foundUser).toEqual(user);
      expect(foundRecord).toEqual({ ...record, changes });
    });

    test('keeps nothing of a transaction that fails', async () => {
      const user = newUser();
      const failing = database.use((queries) =>
        queries.transaction().execute(async (transaction) => {
          await transaction.insertInto('users').values(user).execute();
          throw new Error('boom');
        }),
      );
      await expect(failing).rejects.toThrow('boom');
      expect(await countOf(database, user.email)).toBe(0);
    });

    test('keeps parallel transactions apart', async () => {
      const users = Array.from({ length: 8 }, () => newUser());
      const outcomes = await Promise.allSettled(
        users.map((user, i) =>
          database.use((queries) =>
            queries.transaction().execute(async (transaction) => {
              await transaction.insertInto('users').values(user).execute();
              if (i % 2 === 1) throw new Error('boom');
            }),
          ),
        ),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(
        users.map((_, i) => (i % 2 === 1 ? 'rejected' : 'fulfilled')),
      );
      const counts = await Promise.all(users.map(({ email }) => countOf(database, email)));
      expect(counts).toEqual(users.map((_, i) => (i % 2 === 1 ? 0 : 1)));
    });

    test('is not away because a row is refused', async () => {
      const user = newUser();
      const insert = () => database.use((queries) => queries.insertInto('users').values(user).execute());
      await insert();
      await expect(insert()).rejects.toMatchObject({ code: '23505' });
      await expect(insert()).rejects.not.toBeInstanceOf(DatabaseAway);
    });

    test('keeps each content of an object once, the one that was current last in front, and the newest fifty', async () => {
      const uid = randomUUID();
      const note = createNoter(database, uid);
      for (const provider of ['a', 'b', 'b', 'a', 'c']) await note(provider);
      expect(await note.providers()).toEqual(['c', 'a', 'b']);
      const replica = createNoter(database, uid); // it has seen nothing yet
      await replica('c');
      expect(await replica.providers()).toEqual(['c', 'a', 'b']);
      for (let i = 0; i < 60; i += 1) await note(`p${i}`);
      const newest = await note.providers();
      expect([newest.length, newest[0], newest.at(-1)]).toEqual([50, 'p59', 'p10']);
      await note.forget();
      expect(await note.providers()).toEqual([]);
    });

    test('loses records that are older than they are kept, slice by slice, and no others', async () => {
      const day = 86_400_000;
      const nowMs = Date.UTC(2028, 0, 1);
      const row = (ageDays: number) => ({
        ...{ id: randomUUID(), at: new Date(nowMs - ageDays * day), request_id: `age-${ageDays}`, operation: 'o' },
        ...{ method: 'PUT', path: '/p', actor_type: 'anonymous' as const, actor_id: null, actor_user: null },
        ...{ workspace: null, status: 200, error_code: null, forced: false, outside: false, changes: '[]' },
      });
      const insert = (ages: readonly number[]) =>
        database.use((queries) => queries.insertInto('audit_records').values(ages.map(row)).execute());
      await insert(Array.from({ length: 1_200 }, () => 31));
      await insert([29, 30.5]);
      const failures: unknown[] = [];
      const retention = createRetention({
        ...{ database, days: 30, now: () => nowMs, isEnabled: () => true },
        onFailure: (error) => failures.push(error),
      });
      await retention.run();
      await retention.close();
      const left = await database.use((queries) =>
        queries
          .selectFrom('audit_records')
          .select('request_id')
          .where('at', '>', new Date(nowMs - 60 * day))
          .execute(),
      );
      expect([left, failures]).toEqual([[{ request_id: 'age-29' }], []]);
    });

    test('serves beside a later version, whose migrations it does not know', async () => {
      await database.use(async (queries) => {
        await sql`insert into gatehouse.migrations (name, sha256) values ('9999-later', 'x')`.execute(queries);
        await sql`alter table gatehouse.users add column nickname text`.execute(queries);
      });
      const user = newUser();
      await (await reopen()).use((queries) => queries.insertInto('users').values(user).execute());
      expect(await countOf(database, user.email)).toBe(1);
    });

    test('is not opened when a migration is not the one that was applied', async () => {
      const [{ name: first } = { name: '' }] = MIGRATIONS;
      const setHash = (expression: string) =>
        `update gatehouse.migrations set sha256 = ${expression} where name = '${first}'`;
      await database.use((queries) => sql.raw(setHash("sha256 || 'x'")).execute(queries));
      await database.close();
      const failures: unknown[] = [];
      const refused = databases.open((error) => failures.push(error));
      await expect(appliedIn(refused)).rejects.toBeInstanceOf(DatabaseAway);
      expect(failures).toMatchObject([{ message: `The migration ${first} is not the one that was applied` }]);
      await refused.close();
      // The next tests are not given this database: it is the last one of the suite.
      database = databases.open();
    });
  });
}

const countOf = async (database: Database, email: string): Promise<number> => {
  const rows = await database.use((queries) =>
    queries.selectFrom('users').select('id').where('email', '=', email).execute(),
  );
  return rows.length;
};

/** What one process notes of a config. */
function createNoter(database: Database, uid: string) {
  let minutes = 0;
  const now = (): number => {
    minutes += 1;
    return Date.UTC(2027, 0, 1, 0, minutes);
  };
  const revisions = createRevisions({ database, now, isEnabled: () => true, onDropped: () => undefined });
  const note = async (provider: string): Promise<void> => {
    revisions.note({ kind: 'GatewayConfig', meta: { uid }, spec: { config: { provider } } });
    await revisions.list(uid);
  };
  const providers = async (): Promise<unknown[]> =>
    (await revisions.list(uid)).map(({ content }) => (content['config'] as { provider: unknown }).provider);
  const forget = async (): Promise<void> => revisions.forget(uid);
  return Object.assign(note, { providers, forget });
}
