/** The rows of one request in ClickHouse, with what was kept of it. */
import type { ClickHouseClient } from '@clickhouse/client';
import { LOG_SCHEMA, parseLogContent } from '@gatehouse/crds/logs';
import { type LoggedTrace, MAX_TRACE_ROWS, MAX_TRACE_WORKSPACES, type TraceQuestion } from '../trace.ts';
import { type ClickHouseOptions, openClickHouse } from './connect.ts';
import { askClickHouse, readRows } from './read-rows.ts';

const QUESTION_MS = 60_000;

/** Of requests that went through the gateway. Rejects with what the server or the network says. */
export async function readClickHouseTrace(options: ClickHouseOptions, question: TraceQuestion): Promise<LoggedTrace> {
  const client = await openClickHouse(options, { timeoutMs: QUESTION_MS });
  try {
    const workspaces = await workspacesOf(client, question);
    const served = workspaces.filter(({ is_served }) => is_served > 0).map(({ workspace }) => workspace);
    const [workspace] = served;
    if (workspace === undefined) return { kind: workspaces.length === 0 ? 'absent' : 'recorded' };
    if (served.length > 1) return { kind: 'several', workspaces: served };
    return { kind: 'found', ...(await newestOf(client, question.traceId, workspace)) };
  } finally {
    await client.close();
  }
}

interface WorkspaceOfTrace {
  readonly workspace: string;
  readonly is_served: number;
}

/** Those that have served the trace come first. */
const workspacesOf = (client: ClickHouseClient, { traceId, workspace }: TraceQuestion) =>
  askClickHouse<WorkspaceOfTrace>(
    client,
    `select toString(l.workspace) as workspace, max(l.source != 'log') as is_served from ${LOG_SCHEMA}.logs as l
     where l.trace_id = {trace:String} ${workspace === undefined ? '' : 'and l.workspace = {workspace:String}'}
     group by workspace order by is_served desc, workspace limit ${MAX_TRACE_WORKSPACES}`,
    { trace: traceId, ...(workspace === undefined ? {} : { workspace }) },
  );

async function newestOf(client: ClickHouseClient, trace: string, workspace: string) {
  const isServed = `l.trace_id = {trace:String} and l.workspace = {workspace:String} and l.source != 'log'`;
  const found = await readRows(
    client,
    `where ${isServed} and l.request_id = (
       select l.request_id from ${LOG_SCHEMA}.logs as l where ${isServed} order by l.created_at desc, l.attempt desc limit 1)
     order by l.attempt limit ${MAX_TRACE_ROWS}`,
    { trace, workspace },
  );
  const rows = found.map(({ row }) => row);
  const final = rows.find(({ is_final }) => is_final) ?? rows.at(-1);
  const documents =
    final === undefined
      ? []
      : await askClickHouse<{ readonly content: string }>(
          client,
          `select content from ${LOG_SCHEMA}.documents
           where id = toUUID({id:String}) and created_at = fromUnixTimestamp64Milli({at:Int64}, 'UTC') limit 1`,
          { id: final.id, at: final.created_at },
        );
  const [document] = documents;
  return { rows, content: document && parseLogContent(document.content) };
}
