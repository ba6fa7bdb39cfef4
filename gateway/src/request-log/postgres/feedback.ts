/** Feedback of guardrails in the table of feedback. */
import { withoutBrokenText } from '@gatehouse/crds';
import { LOG_SCHEMA } from '@gatehouse/crds/logs';
import type { createDatabase } from '../../store/index.ts';
import type { SealedBatch } from '../log-store.ts';
import type { LogFeedback } from '../request-log.ts';

type Database = Pick<ReturnType<typeof createDatabase>, 'use'>;

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
