/** The table of feedback: that of guardrails is written here, that of people and clients by the management API. */
import { withoutBrokenText } from '@gatehouse/crds';
import { LOG_SCHEMA } from '@gatehouse/crds/logs';
import type { RawBuilder, Sql } from 'kysely';
import type { createDatabase } from '../../store/index.ts';
import type { SealedBatch } from '../log-store.ts';
import type { LogFeedback } from '../request-log.ts';

const tableIn = (sql: Sql) => sql.table(`${LOG_SCHEMA}.feedback`);

type Database = Pick<ReturnType<typeof createDatabase>, 'use'>;

/** What is there already stays. */
export async function writeFeedback(database: Database, { records }: SealedBatch<LogFeedback>): Promise<void> {
  const rows = records.map((one) => {
    const at = new Date(one.created_at).toISOString();
    return { ...one, created_at: at, updated_at: at };
  });
  await database.use(({ queries, sql }) => {
    const table = tableIn(sql);
    const json = withoutBrokenText(JSON.stringify(rows));
    return sql`
      insert into ${table} select * from jsonb_populate_recordset(null::${table}, ${json}::jsonb)
      on conflict do nothing`.execute(queries);
  });
}

/** Deleted in one statement: a batch of many rows locks few others for long. */
const BATCH = 10_000;

/** Deletes in batches what a condition names; rows that others have locked stay. */
async function deleteWhere(database: Database, condition: (sql: Sql) => RawBuilder<unknown>): Promise<void> {
  for (let deleted = BATCH; deleted === BATCH; ) {
    deleted = await database.use(async ({ queries, sql }) => {
      const table = tableIn(sql);
      const { numAffectedRows = 0n } = await sql`
        delete from ${table} where id in (
          select id from ${table} where ${condition(sql)} limit ${BATCH} for update skip locked
        )`.execute(queries);
      return Number(numAffectedRows);
    });
  }
}

/** Of guardrails, given before the day of an instant, in Unix time in ms. */
export async function dropFeedbackBefore(database: Database, ms: number): Promise<void> {
  const day = `${new Date(ms).toISOString().slice(0, 10)}T00:00:00Z`;
  await deleteWhere(database, (sql) => sql`guardrail is not null and created_at < ${day}::timestamptz`);
}

/**
 * Most that one takes, with its indexes: 64 names and values of 128 characters of 3 bytes (48 KiB), three lists of checks of 1,024 (9 KiB), a trace id
 * of 256 and ids, twice because of the indexes (5 KiB), and the rest for headers and unused ends of the pages that hold these.
 */
const LARGEST_BYTES = 72 * 1024;

/** For headers, entries of indexes and pages that are not full. */
const OVERHEAD_BYTES = 256;

/** Rows whose size is looked at, in whole pages. */
const SAMPLE = 10_000;

/**
 * Deletes the oldest of what takes more, whoever gave it. Told from the sizes of rows, not of files, which do not get smaller. Several processes agree on
 * what goes, and none waits for the rows of another.
 */
export async function keepNewestFeedback(database: Database, maxBytes: number): Promise<void> {
  const maxRows = await roomFor(database, maxBytes);
  if (maxRows === undefined) return;
  const newestOld = await database.use(async ({ queries, sql }) => {
    const { rows } = await sql<{ at: string; id: string }>`
      select created_at::text as at, id::text as id from ${tableIn(sql)}
      order by created_at desc, feedback.id desc offset ${maxRows} limit 1`.execute(queries);
    return rows[0];
  });
  if (newestOld === undefined) return;
  await deleteWhere(database, (sql) => sql`(created_at, id) <= (${newestOld.at}::timestamptz, ${newestOld.id}::uuid)`);
}

/** Of what is too much a tenth more goes: without an index of all workspaces the oldest are found by looking at all. */
const KEPT = 0.9;

/** How many rows of the size that they have stay; undefined: all have room. */
const roomFor = (database: Database, maxBytes: number): Promise<number | undefined> =>
  database.use(async ({ queries, sql }) => {
    const table = tableIn(sql);
    const { rows } = await sql<{ count: string }>`select count(*)::text as count from ${table}`.execute(queries);
    const count = Number(rows[0]?.count);
    if (count * LARGEST_BYTES <= maxBytes) return undefined;
    const percent = Math.min(100, (100 * SAMPLE) / count);
    const sample = await sql<{ bytes: string | null }>`
      select avg(pg_column_size(feedback.*) + octet_length(workspace) * 2 + octet_length(trace_id))::text as bytes
      from ${table} tablesample system (${percent}::real)`.execute(queries);
    const bytes = Number(sample.rows[0]?.bytes ?? LARGEST_BYTES) + OVERHEAD_BYTES;
    const room = maxBytes / Math.min(bytes, LARGEST_BYTES);
    return count <= room ? undefined : Math.floor(room * KEPT);
  });
