/** A database of PostgreSQL, opened by its first query. */
import { type Migration, migrate, type PostgresOptions, parsePostgresUrl, poolSettings } from '@gatehouse/crds/sql';
import type { Dialect, Kysely, Sql } from 'kysely';

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

export interface DatabaseOptions {
  readonly dialect: OpenDialect;
  /** All tables are in it. */
  readonly schema: string;
  readonly migrations: readonly Migration[];
  /** The number that processes agree on while they migrate. */
  readonly lock: number;
}

/** A new one for each try to open the database. */
export type OpenDialect = () => Promise<Dialect>;

export interface DialectOptions extends PostgresOptions {
  /** Longest wait for a connection and for an answer, in ms; the usual ones when absent. */
  readonly waitMs?: number;
  /** The usual number when absent. */
  readonly maxConnections?: number;
}

/** Throws an Error that names the part of the URL that is wrong, never its content. Opens nothing yet. */
export function postgresDialect({ url, ca, waitMs, maxConnections }: DialectOptions): OpenDialect {
  const address = parsePostgresUrl({ url, ca });
  if (!address.ok) throw new Error(`The URL of PostgreSQL ${address.error}`);
  const settings = {
    ...poolSettings(address.value, 'gatehouse-gateway'),
    ...(waitMs === undefined ? {} : waitsOf(waitMs)),
    ...(maxConnections === undefined ? {} : { max: maxConnections }),
  };
  return async () => {
    const [{ PostgresDialect }, { default: pg }] = await Promise.all([import('kysely'), import('pg')]);
    const pool = new pg.Pool(settings);
    pool.on('error', () => undefined); // an idle connection was closed: the next query opens another one
    pool.on('connect', (client) => client.on('error', () => undefined)); // the query that uses it fails
    return new PostgresDialect({ pool });
  };
}

/** Opens nothing yet. */
export function createDatabase({ dialect, schema, migrations, lock }: DatabaseOptions): Database {
  let opening: Promise<OpenDatabase> | undefined;
  const open = async (): Promise<OpenDatabase> => {
    const { Kysely, sql } = await import('kysely');
    const queries = new Kysely<unknown>({ dialect: await dialect() });
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
