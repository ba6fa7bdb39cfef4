/** The request log in PostgreSQL: docs/behaviour/request-logs.md. */
import { withoutBrokenText } from '@gatehouse/crds';
import {
  type ColumnKind,
  dayOf,
  LOG_COLUMNS,
  LOG_LOCK,
  LOG_SCHEMA,
  type LogRow,
  MIGRATIONS,
} from '@gatehouse/crds/logs';
import type { Kysely, Sql, Transaction } from 'kysely';
import { createDatabase, type OpenDialect } from '../../store/index.ts';
import type { LogStore, SealedBatch } from '../log-store.ts';
import { rowValues } from '../row-values.ts';
import { dropFeedbackBefore, keepNewestFeedback, writeFeedback } from './feedback.ts';
import { createPartitions, DAY_MS } from './partitions.ts';
import { addingTo, SUMMED } from './sums.ts';

/** Opens nothing yet. */
export function createPostgresStore(dialect: OpenDialect): LogStore {
  const database = createDatabase({ dialect, migrations: MIGRATIONS, schema: LOG_SCHEMA, lock: LOG_LOCK });
  const partitions = createPartitions(database);
  return {
    name: 'postgres',
    lineOf,
    write: async (batch) => {
      await partitions.prepare(batch.records.map(({ createdAt }) => createdAt));
      await database.use(({ queries, sql }) =>
        queries.transaction().execute((transaction) => write(transaction, sql, batch)),
      );
    },
    writeFeedback: (batch) => writeFeedback(database, batch),
    isTemporary: (error) => !isRefusal(error),
    dropBefore: async (ms) => {
      await partitions.dropBefore(ms);
      await dropFeedbackBefore(database, ms);
    },
    space: {
      bytes: () => database.use(({ queries, sql }) => storedBytes(queries, sql)),
      dropOldestDay: async (beforeMs) => {
        const oldest = await partitions.oldestDay();
        if (oldest === undefined || oldest >= dayOf(beforeMs)) return false;
        await partitions.dropBefore(oldest + DAY_MS);
        return true;
      },
      boundFeedback: async (maxBytes) => {
        const oldest = await partitions.oldestDay();
        if (oldest !== undefined) await dropFeedbackBefore(database, oldest);
        await keepNewestFeedback(database, maxBytes);
      },
    },
    close: database.close,
  };
}

/** Of the files of partitions, with their indexes and what they keep aside. */
async function storedBytes(queries: Kysely<unknown>, sql: Sql): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::text as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${LOG_SCHEMA} and c.relispartition and c.relkind = 'r'`.execute(queries);
  return Number(rows[0]?.bytes);
}

/** Rows that are there already, or that the batch has twice, add nothing to the sums. */
async function write(transaction: Transaction<unknown>, sql: Sql, { records }: SealedBatch): Promise<void> {
  const [before, after] = WRITE_ROWS;
  const rows = `[${records.map(({ line }) => line.toString()).join(',')}]`;
  await sql`${sql.raw(before)}${rows}${sql.raw(after)}`.execute(transaction);
  const documents = records.flatMap(({ id, createdAt, workspace, document }) =>
    document === undefined
      ? []
      : [sql`(${id}::uuid, ${instant(createdAt)}::timestamptz, ${workspace}, ${document.toString()})`],
  );
  if (documents.length === 0) return;
  await sql`
    insert into ${sql.table(`${LOG_SCHEMA}.documents`)} (id, created_at, workspace, content)
    values ${sql.join(documents)} on conflict do nothing`.execute(transaction);
}

const COLUMNS = Object.keys(LOG_COLUMNS) as readonly (keyof LogRow)[]; // the columns are those of rows

/** An array: of objects both sides would read each name. */
const lineOf = (row: LogRow): string => withoutBrokenText(JSON.stringify(rowValues(row)));

/** The value of a column, which is a member of a JSON array. */
const VALUES: Readonly<Record<ColumnKind, (at: number) => string>> = {
  uuid: (at) => `(row ->> ${at})::uuid`,
  time: (at) => `timestamptz 'epoch' + (row ->> ${at})::bigint * interval '1 millisecond'`,
  text: (at) => `row ->> ${at}`,
  small: (at) => `(row ->> ${at})::smallint`,
  whole: (at) => `(row ->> ${at})::bigint`,
  real: (at) => `(row ->> ${at})::double precision`,
  flag: (at) => `(row ->> ${at})::boolean`,
  json: (at) => `row -> ${at}`,
};

/** Before and after the rows. */
const WRITE_ROWS = addingTo(`
  insert into ${LOG_SCHEMA}.logs (${COLUMNS.join(', ')})
  select ${COLUMNS.map((column, at) => VALUES[LOG_COLUMNS[column]](at)).join(', ')}
  from jsonb_array_elements($::jsonb) as row
  on conflict do nothing returning ${SUMMED.join(', ')}`).split('$') as [before: string, after: string]; // one place for the parameter

const instant = (ms: number): string => new Date(ms).toISOString();

/** Classes of SQLSTATE: data exceptions, and constraints that a row breaks. */
const REFUSALS = /^(22|23)/;

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && REFUSALS.test(error.code);
