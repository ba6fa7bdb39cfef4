/** A database of PostgreSQL, opened by its first query. */
import { type Migration, migrate, type PostgresOptions, parsePostgresUrl, poolSettings } from '@gatehouse/crds/sql';
import type { Kysely, Sql } from 'kysely';

/** Queries are SQL: rows are typed where they are read. */
export interface OpenDatabase {
  readonly queries: Kysely<unknown>;
  readonly sql: Sql;
}

export interface Database {
  /** Rejects with what the work rejects with, or why the database cannot be used; the next call then tries again. */
  use<T>(work: (opened: OpenDatabase) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions extends PostgresOptions {
  /** All tables are in it. */
  readonly schema: string;
  readonly migrations: readonly Migration[];
  /** The number that processes agree on while they migrate. */
  readonly lock: number;
  /** Longest wait for a connection and for an answer, in ms; the usual ones when absent. */
  readonly waitMs?: number;
}

/** Throws an Error that names the part of the URL that is wrong, never its content. Opens nothing yet. */
export function createDatabase({ url, ca, schema, migrations, lock, waitMs }: DatabaseOptions): Database {
  const address = parsePostgresUrl({ url, ca });
  if (!address.ok) throw new Error(`The URL of PostgreSQL ${address.error}`);
  let opening: Promise<OpenDatabase> | undefined;
  const open = async (): Promise<OpenDatabase> => {
    const [{ Kysely, PostgresDialect, sql }, { default: pg }] = await Promise.all([import('kysely'), import('pg')]);
    const usual = poolSettings(address.value, 'gatehouse-gateway');
    const pool = new pg.Pool(waitMs === undefined ? usual : { ...usual, ...waitsOf(waitMs) });
    pool.on('error', () => undefined); // an idle connection was closed: the next query opens another one
    pool.on('connect', (client) => client.on('error', () => undefined)); // the query that uses it fails
    const queries = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    try {
      await migrate(queries, sql, { migrations, schema, lock });
      return { queries, sql };
    } catch (error) {
      await queries.destroy();
      throw error;
    }
  };
  return {
    use: async (work) => {
      opening ??= open().catch((error: unknown) => {
        opening = undefined; // the next query tries again
        throw error;
      });
      return await work(await opening);
    },
    close: async () => {
      await opening?.then(({ queries }) => queries.destroy()).catch(() => undefined); // it was never open
    },
  };
}

const waitsOf = (ms: number) => ({ connectionTimeoutMillis: ms, query_timeout: ms, statement_timeout: ms });
