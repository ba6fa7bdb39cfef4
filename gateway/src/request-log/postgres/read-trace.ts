/** The rows of one request in PostgreSQL, with what was kept of it. */
import { LOG_LOCK, LOG_SCHEMA, type LogRow, MIGRATIONS, parseLogContent } from '@gatehouse/crds/logs';
import { createDatabase, type OpenDatabase, type OpenDialect } from '../../store/index.ts';
import { type LoggedTrace, MAX_TRACE_ROWS, MAX_TRACE_WORKSPACES, type TraceQuestion } from '../trace.ts';

/** Of requests that went through the gateway. Rejects with what the database says. */
export async function readTrace(dialect: OpenDialect, question: TraceQuestion): Promise<LoggedTrace> {
  const database = createDatabase({ dialect, migrations: MIGRATIONS, schema: LOG_SCHEMA, lock: LOG_LOCK });
  try {
    return await database.use(async (store) => {
      const workspaces = await workspacesOf(store, question);
      const served = workspaces.filter(({ is_served }) => is_served).map(({ workspace }) => workspace);
      const [workspace] = served;
      if (workspace === undefined) return { kind: workspaces.length === 0 ? 'absent' : 'recorded' };
      if (served.length > 1) return { kind: 'several', workspaces: served };
      return { kind: 'found', ...(await newestOf(store, question.traceId, workspace)) };
    });
  } finally {
    await database.close();
  }
}

/** Those that have served the trace come first. */
async function workspacesOf({ queries, sql }: OpenDatabase, { traceId, workspace }: TraceQuestion) {
  const { rows } = await sql<{ readonly workspace: string; readonly is_served: boolean }>`
    select workspace, bool_or(source <> 'log') as is_served from ${sql.table(`${LOG_SCHEMA}.logs`)}
    where trace_id = ${traceId} and ${workspace === undefined ? sql`true` : sql`workspace = ${workspace}`}
    group by workspace order by is_served desc, workspace limit ${MAX_TRACE_WORKSPACES}`.execute(queries);
  return rows;
}

async function newestOf({ queries, sql }: OpenDatabase, traceId: string, workspace: string) {
  const logs = sql.table(`${LOG_SCHEMA}.logs`);
  const isServed = sql`trace_id = ${traceId} and workspace = ${workspace} and source <> 'log'`;
  const { rows: found } = await sql<{ readonly row: LogRow }>`
    select to_jsonb(logs) as row from ${logs} as logs
    where ${isServed} and request_id = (
      select request_id from ${logs} where ${isServed} order by created_at desc, attempt desc limit 1)
    order by attempt limit ${MAX_TRACE_ROWS}`.execute(queries);
  const rows = found.map(({ row }) => row);
  const final = rows.find(({ is_final }) => is_final) ?? rows.at(-1);
  const { rows: documents } = await sql<{ readonly content: string }>`
    select content from ${sql.table(`${LOG_SCHEMA}.documents`)}
    where created_at = ${String(final?.created_at)}::timestamptz and id = ${final?.id}`.execute(queries);
  const [document] = documents;
  return {
    rows: rows.map((row) => ({ ...row, created_at: Date.parse(String(row.created_at)) })),
    content: document && parseLogContent(document.content),
  };
}
