/** The tables of files and batches in PostgreSQL, opened by the first query. */
import { migrate, type PostgresOptions, parsePostgresUrl, poolSettings } from '@gatehouse/crds/sql';
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

const SCHEMA = 'gateway_batches';
const LOCK = 4_028_717_616;

/** Throws an Error that names the part of the URL that is wrong, never its content. Opens nothing yet. */
export function createBatchDatabase(options: PostgresOptions): BatchDatabase {
  const address = parsePostgresUrl(options);
  if (!address.ok) throw new Error(`The URL of PostgreSQL ${address.error}`);
  let opening: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    const [{ Kysely, PostgresDialect, sql }, { default: pg }] = await Promise.all([import('kysely'), import('pg')]);
    const pool = new pg.Pool(poolSettings(address.value, 'gatehouse-gateway'));
    pool.on('error', () => undefined); // an idle connection was closed: the next query opens another one
    pool.on('connect', (client) => client.on('error', () => undefined)); // the query that uses it fails
    const queries = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    try {
      await migrate(queries, sql, { migrations: MIGRATIONS, schema: SCHEMA, lock: LOCK });
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
