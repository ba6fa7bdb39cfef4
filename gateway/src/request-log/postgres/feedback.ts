/** Feedback of guardrails and clients in the table of feedback. */
import { withoutBrokenText } from '@gatehouse/crds';
import { dayOf, LOG_SCHEMA } from '@gatehouse/crds/logs';
import type { createDatabase, OpenDatabase } from '../../store/index.ts';
import type { SealedBatch } from '../log-store.ts';
import type { LogFeedback } from '../request-log.ts';

type Database = Pick<ReturnType<typeof createDatabase>, 'use'>;

const FEEDBACK = `${LOG_SCHEMA}.feedback`;

/** What is there already stays. */
export async function writeFeedback(database: Database, { records }: SealedBatch<LogFeedback>): Promise<void> {
  const rows = records.map((one) => {
    const at = new Date(one.created_at).toISOString();
    return { ...one, created_at: at, updated_at: at };
  });
  await database.use(({ queries, sql }) => {
    const table = sql.table(`${LOG_SCHEMA}.feedback`);
    const json = withoutBrokenText(JSON.stringify(rows));
    return sql`
      insert into ${table} select * from jsonb_populate_recordset(null::${table}, ${json}::jsonb)
      on conflict do nothing`.execute(queries);
  });
}

/** Deleted in one statement: a batch of many rows locks few others for long. */
const BATCH = 10_000;

/** Of guardrails, given before the day of an instant, in Unix time in ms. */
export async function dropFeedbackBefore(database: Database, ms: number): Promise<void> {
  const day = `${new Date(ms).toISOString().slice(0, 10)}T00:00:00Z`;
  for (let deleted = BATCH; deleted === BATCH; ) {
    deleted = await database.use(async ({ queries, sql }) => {
      const table = sql.table(`${LOG_SCHEMA}.feedback`);
      const { numAffectedRows = 0n } = await sql`
        delete from ${table} where id in (
          select id from ${table} where guardrail is not null and created_at < ${day}::timestamptz limit ${BATCH}
        )`.execute(queries);
      return Number(numAffectedRows);
    });
  }
}

/** Of a table: the workspaces that have feedback, each by one look into the index. */
const workspacesOf = (table: string): string => `
  with recursive found as (
    (select workspace from ${table} order by workspace limit 1)
    union all
    select (select next.workspace from ${table} next where next.workspace > found.workspace order by workspace limit 1)
    from found where found.workspace is not null
  )`;

/** The start of the oldest day that has some, in Unix time in ms, whoever gave it; undefined: there is none. */
export async function oldestFeedbackDay(database: Database): Promise<number | undefined> {
  const { rows } = await database.use(({ queries, sql }) =>
    sql<{ oldest: Date | null }>`
      ${sql.raw(workspacesOf(FEEDBACK))}
      select min((
        select created_at from ${sql.raw(FEEDBACK)} f where f.workspace = found.workspace order by created_at limit 1
      )) as oldest from found where workspace is not null`.execute(queries),
  );
  const [{ oldest } = { oldest: null }] = rows;
  return oldest === null ? undefined : dayOf(oldest.getTime());
}

/** Given before the start of a day, in Unix time in ms, whoever gave it; makes the table smaller where much of it was. */
export async function dropAllFeedbackBefore(database: Database, day: number): Promise<void> {
  const end = new Date(day).toISOString();
  let all = 0;
  for (let deleted = BATCH; deleted === BATCH; all += deleted) {
    deleted = await database.use(async ({ queries, sql }) => {
      const { numAffectedRows = 0n } = await sql`
        ${sql.raw(workspacesOf(FEEDBACK))}
        delete from ${sql.raw(FEEDBACK)} where id in (
          select old.id from found cross join lateral (
            select id from ${sql.raw(FEEDBACK)} f
            where f.workspace = found.workspace and f.created_at < ${end}::timestamptz limit ${BATCH}
          ) old limit ${BATCH}
        )`.execute(queries);
      return Number(numAffectedRows);
    });
  }
  if (all > 0) await database.use((opened) => shrink(opened, all));
}

/** Of what is left; with less, what was deleted is room for later feedback. */
const WORTH = 1 / 4;
/** For those that read or write feedback, in ms: behind a table that is waited for, they wait. */
const LOCK_MS = 2_000;

/** A table that is in use, or too large for the time of a statement or the disk, stays as it is: its room is for later feedback. */
async function shrink({ queries, sql }: OpenDatabase, deleted: number): Promise<void> {
  const { rows } = await sql<{ known: number }>`
    select reltuples as known from pg_class where oid = ${FEEDBACK}::regclass`.execute(queries);
  const known = rows[0]?.known ?? -1;
  if (known >= 0 && deleted < (known - deleted) * WORTH) return;
  await queries.connection().execute(async (connection) => {
    try {
      await sql.raw(`set lock_timeout = ${LOCK_MS}`).execute(connection);
      await sql.raw(`vacuum (full, analyze) ${FEEDBACK}`).execute(connection);
    } catch (error) {
      if (!isNotNow(error)) throw error;
    } finally {
      await sql.raw('reset lock_timeout').execute(connection);
    }
  });
}

/** SQLSTATE: the lock was not to be had, the statement took too long, or the disk has no room for the copy. */
const NOT_NOW: ReadonlySet<unknown> = new Set(['55P03', '57014', '53100']);

const isNotNow = (error: unknown): boolean => error instanceof Error && 'code' in error && NOT_NOW.has(error.code);
