/** The rows of one request in PostgreSQL, with what was kept of it. */
import { LOG_LOCK, LOG_SCHEMA, type LogContent, type LogRow, MIGRATIONS, parseLogContent } from '@gatehouse/crds/logs';
import { createDatabase, type OpenDialect } from '../../store/index.ts';

export interface LoggedTrace {
  /** Of the newest request with the trace, in the order of the attempts. */
  readonly rows: readonly LogRow[];
  /** Of its final row; undefined: none was kept in the database, or it is not one that gateways write. */
  readonly content: LogContent | undefined;
}

/** Of one request: it has as many attempts as targets, which are bounded. */
const MAX_ROWS = 1_000;

/** Undefined: the log has no such trace. Rejects with what the database says. */
export async function readTrace(dialect: OpenDialect, traceId: string): Promise<LoggedTrace | undefined> {
  const database = createDatabase({ dialect, migrations: MIGRATIONS, schema: LOG_SCHEMA, lock: LOG_LOCK });
  try {
    return await database.use(async ({ queries, sql }) => {
      const logs = sql.table(`${LOG_SCHEMA}.logs`);
      const { rows } = await sql<{ row: LogRow }>`
        select to_jsonb(logs) as row from ${logs} as logs
        where trace_id = ${traceId} and request_id = (
          select request_id from ${logs} where trace_id = ${traceId} order by created_at desc, attempt desc limit 1)
        order by attempt limit ${MAX_ROWS}`.execute(queries);
      const final = rows.find(({ row }) => row.is_final)?.row;
      if (rows.length === 0) return undefined;
      const { rows: documents } = await sql<{ content: string }>`
        select content from ${sql.table(`${LOG_SCHEMA}.documents`)}
        where created_at = ${String(final?.created_at ?? rows[0]?.row.created_at)}::timestamptz
          and id = ${final?.id ?? rows[0]?.row.id}`.execute(queries);
      const [document] = documents;
      return {
        rows: rows.map(({ row }) => ({ ...row, created_at: Date.parse(String(row.created_at)) })),
        content: document && parseLogContent(document.content),
      };
    });
  } finally {
    await database.close();
  }
}
