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
 * there: tables only ever grow. They belong to the owner of the schema. Rejects when one that was applied is not the one of this version.
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

async function applyMissing<T>(connection: Kysely<T>, sql: Sql, options: MigrateOptions): Promise<void> {
  const { schema } = options;
  const { rows } = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(connection);
  if (rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(connection); // the right to is asked for even if it is there
  const owner = await ownerOf(connection, sql, schema);
  if (owner !== undefined) await sql`set role ${sql.id(owner)}`.execute(connection);
  try {
    await applyAsOwner(connection, sql, options);
  } finally {
    if (owner !== undefined) await sql`reset role`.execute(connection);
  }
}

/** The account that a schema was made for, so that its tables are that one's, whoever makes them; undefined: nobody else's. */
async function ownerOf<T>(connection: Kysely<T>, sql: Sql, schema: string): Promise<string | undefined> {
  const { rows } = await sql<{ owner: string }>`
    select pg_get_userbyid(nspowner) as owner from pg_namespace
    where nspname = ${schema} and pg_get_userbyid(nspowner) <> current_user and pg_has_role(nspowner, 'member')`.execute(
    connection,
  );
  return rows[0]?.owner;
}

async function applyAsOwner<T>(connection: Kysely<T>, sql: Sql, { schema, migrations }: MigrateOptions): Promise<void> {
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
