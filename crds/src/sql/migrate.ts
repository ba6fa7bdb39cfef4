import { createHash } from 'node:crypto';
import type { Kysely, Sql } from 'kysely';
import { statementsOf } from './statements.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

export interface MigrateOptions {
  /** In their order. */
  readonly migrations: readonly Migration[];
  /** All tables are in it, so that the database may have other uses. */
  readonly schema: string;
  /** The number that processes agree on; nothing else is behind it. */
  readonly lock: number;
}

/**
 * Applies what is missing, each migration in a transaction of its own, while other processes wait. Migrations of later versions may be
 * there: tables only ever grow. Rejects when one that was applied is not the one of this version.
 */
export async function migrate<T>(root: Kysely<T>, sql: Sql, options: MigrateOptions): Promise<void> {
  await root.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${sql.lit(options.lock)})`.execute(connection);
    try {
      await applyMissing(connection, sql, options);
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(options.lock)})`.execute(connection);
    }
  });
}

async function applyMissing<T>(connection: Kysely<T>, sql: Sql, { schema, migrations }: MigrateOptions): Promise<void> {
  await sql`create schema if not exists ${sql.id(schema)}`.execute(connection);
  const table = sql.table(`${schema}.migrations`);
  await sql`create table if not exists ${table} (name text primary key, sha256 text not null, applied_at timestamptz not null default now())`.execute(
    connection,
  );
  const { rows } = await sql<{ name: string; sha256: string }>`select name, sha256 from ${table}`.execute(connection);
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
  for (const migration of migrations) {
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
