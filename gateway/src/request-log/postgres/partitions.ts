/** The tables of a day, which have to be there before its rows. */
import { createPartition, DAILY_TABLES, dayOf, dayOfPartition, LOG_LOCK, LOG_SCHEMA } from '@gatehouse/crds/logs';
import type { Kysely, Sql } from 'kysely';
import type { Database } from '../../store/index.ts';

export const DAY_MS = 86_400_000;

export interface Partitions {
  /** Makes what is missing for the days of the instants, and of the next day, in Unix time in ms. */
  prepare(instants: Iterable<number>): Promise<void>;
  dropBefore(ms: number): Promise<void>;
  /** Unix time in ms of its start; undefined: there is none. */
  oldestDay(): Promise<number | undefined>;
}

export function createPartitions(database: Pick<Database, 'use'>): Partitions {
  const known = new Set<number>();
  const underLock = (work: (connection: Kysely<unknown>, sql: Sql) => Promise<void>): Promise<void> =>
    database.use(({ queries, sql }) =>
      queries.transaction().execute(async (connection) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(LOG_LOCK)})`.execute(connection);
        await work(connection, sql);
      }),
    );
  const names = async (): Promise<readonly string[]> => {
    const { rows } = await database.use(({ queries, sql }) =>
      sql<{ name: string }>`
        select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = ${LOG_SCHEMA} and c.relispartition and c.relkind = 'r'`.execute(queries),
    );
    return rows.map(({ name }) => name);
  };
  return {
    prepare: async (instants) => {
      const days = new Set<number>();
      for (const ms of instants) days.add(dayOf(ms)).add(dayOf(ms) + DAY_MS);
      const missing = [...days].filter((day) => !known.has(day));
      if (missing.length === 0) return;
      await underLock(async (connection, sql) => {
        for (const day of missing)
          for (const table of DAILY_TABLES) await sql.raw(createPartition(table, day)).execute(connection);
      });
      for (const day of missing) known.add(day);
    },
    dropBefore: async (ms) => {
      const old = (await names()).filter((name) => (dayOfPartition(name) ?? Number.POSITIVE_INFINITY) < dayOf(ms));
      for (const name of old) {
        await underLock(async (connection, sql) => {
          await sql`drop table if exists ${sql.table(`${LOG_SCHEMA}.${name}`)}`.execute(connection);
        });
        known.delete(dayOfPartition(name) ?? 0);
      }
    },
    oldestDay: async () => {
      const days = (await names()).map(dayOfPartition).filter((day) => day !== undefined);
      return days.length === 0 ? undefined : Math.min(...days);
    },
  };
}
