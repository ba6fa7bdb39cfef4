/** The tables of files and batches in PostgreSQL, opened by the first query. */
import { createHash } from 'node:crypto';
import { type PostgresOptions, parsePostgresUrl, statementsOf } from '@gatehouse/crds/sql';
import type { Kysely, Sql } from 'kysely';
import { LeaseLost } from '../job-store.ts';
import { StoreFailure } from '../object-store.ts';
import { MIGRATIONS } from './migrations.generated.ts';

/** Queries are SQL: rows are typed where they are read. */
export type Queries = Kysely<unknown>;

export interface Opened {
  readonly queries: Queries;
  readonly sql: Sql;
}

export interface BatchDatabase {
  /** Rejects with StoreFailure, or LeaseLost where the work does. */
  use<T>(work: (opened: Opened) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Of its own, so that the database may have other uses. */
const SCHEMA = 'gateway_batches';
/** The number that processes agree on; nothing else is behind it. */
const LOCK = 4_028_717_616;
const MAX_CONNECTIONS = 8;
const CONNECT_MS = 5_000;
const QUERY_MS = 15_000;
const IDLE_MS = 60_000;

/** Throws an Error that names the part of the URL that is wrong, never its content. Opens nothing yet. */
export function createBatchDatabase(options: PostgresOptions): BatchDatabase {
  const address = parsePostgresUrl(options);
  if (!address.ok) throw new Error(`The URL of PostgreSQL ${address.error}`);
  let opening: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    const [{ Kysely, PostgresDialect, sql }, { default: pg }] = await Promise.all([import('kysely'), import('pg')]);
    const pool = new pg.Pool({
      ...address.value,
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: IDLE_MS,
      query_timeout: QUERY_MS,
      statement_timeout: QUERY_MS,
      application_name: 'gatehouse-gateway',
      keepAlive: true,
    });
    pool.on('error', () => undefined); // an idle connection was closed: the next query opens another one
    pool.on('connect', (client) => client.on('error', () => undefined)); // the query that uses it fails
    const queries = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    try {
      await migrate(queries, sql);
      return { queries, sql };
    } catch (error) {
      await queries.destroy();
      throw error;
    }
  };
  return {
    use: async (work) => {
      try {
        opening ??= open().catch((error: unknown) => {
          opening = undefined; // the next query tries again
          throw error;
        });
        return await work(await opening);
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        throw new StoreFailure('The database of batches cannot be used', { cause: error });
      }
    },
    close: async () => {
      await opening?.then(({ queries }) => queries.destroy()).catch(() => undefined); // it was never open
    },
  };
}

/** Applies what is missing, each migration in a transaction of its own, while other processes wait. */
async function migrate(root: Queries, sql: Sql): Promise<void> {
  await root.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${sql.lit(LOCK)})`.execute(connection);
    try {
      await applyMissing(connection, sql);
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(LOCK)})`.execute(connection);
    }
  });
}

async function applyMissing(connection: Queries, sql: Sql): Promise<void> {
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
