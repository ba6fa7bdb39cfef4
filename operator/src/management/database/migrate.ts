import { createHash } from 'node:crypto';
import { MIGRATIONS } from '@gatehouse/crds/records';
import { statementsOf } from '@gatehouse/crds/sql';
import type { Kysely, Sql } from 'kysely';
import type { Tables } from './tables.ts';

/** All tables are in it, so that the database may have other uses. */
export const SCHEMA = 'gatehouse';
/** The number that processes agree on; nothing else is behind it. */
const LOCK = 4_028_717_615;

/**
 * Applies what is missing, each migration in a transaction of its own, while other processes wait. Migrations of later versions may be
 * there: tables only ever grow. Rejects when one that was applied is not the one of this version.
 */
export async function migrate(root: Kysely<Tables>, sql: Sql): Promise<void> {
  await root.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${sql.lit(LOCK)})`.execute(connection);
    try {
      await applyMissing(connection, sql);
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(LOCK)})`.execute(connection);
    }
  });
}

async function applyMissing(connection: Kysely<Tables>, sql: Sql): Promise<void> {
  await sql`create schema if not exists ${sql.id(SCHEMA)}`.execute(connection);
  const table = sql.table(`${SCHEMA}.migrations`);
  await sql`create table if not exists ${table} (name text primary key, sha256 text not null, applied_at timestamptz not null default now())`.execute(
    connection,
  );
  const { rows } = await sql<{ name: string; sha256: string }>`select name, sha256 from ${table}`.execute(connection);
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
  for (const migration of MIGRATIONS) {
    const sha256 = createHash('sha256').update(migration.sql).digest('hex');
    const known = applied.get(migration.name);
    if (known === sha256) continue;
    if (known !== undefined) throw new Error(`The migration ${migration.name} is not the one that was applied`);
    await connection.transaction().execute(async (transaction) => {
      for (const statement of statementsOf(migration.sql)) await sql.raw(statement).execute(transaction);
      await sql`insert into ${table} (name, sha256) values (${migration.name}, ${sha256})`.execute(transaction);
    });
  }
}
