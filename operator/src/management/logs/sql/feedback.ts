/** What people say about requests. */
import type { Sql } from 'kysely';
import type { FeedbackKey, LogFilter, TimeWidth } from '../reader.ts';
import { type Fragment, ofRow, oneOf, rowConditions, sharedConditions } from './conditions.ts';
import { instant } from './facts.ts';
import { msOf, spanOf } from './sums.ts';

interface FeedbackRow {
  readonly key: string | number | null;
  readonly count: string | number;
  readonly weighted: string | number | null;
}

/** Whether feedback is asked for by more than its own time and workspace. */
const isAboutRows = ({ visible, from, to, ...filter }: LogFilter): boolean =>
  visible.people !== undefined ||
  visible.apiKey !== undefined ||
  Object.values(filter).some((asked) => asked !== undefined);

/** Models of the rows of the trace of a feedback, in the form of roll-ups. */
const tracesOf = (sql: Sql, filter: LogFilter): Fragment => sql`
  select l.model from gateway_logs.logs l
  where l.workspace = f.workspace and l.trace_id = f.trace_id
    and ${rowConditions(sql, filter)} and ${sharedConditions(sql, filter, ofRow)}`;

export function feedbackQuery(sql: Sql, filter: LogFilter, key: FeedbackKey, width: TimeWidth) {
  const { visible, from, to } = filter;
  const model = sql`coalesce((${tracesOf(sql, filter)} order by l.is_final desc, l.created_at desc limit 1), '')`;
  const named = { time: msOf(sql, spanOf(sql, 'f.created_at', width)), value: sql`f.value`, model }[key];
  return sql<FeedbackRow>`
    select ${named} as key, count(*) as count, sum(f.value * f.weight) as weighted
    from gateway_logs.feedback f
    where f.created_at >= ${instant(from)}::timestamptz and f.created_at < ${instant(to)}::timestamptz
      and ${oneOf(sql, sql`f.workspace`, visible.workspaces) ?? sql`true`}
      and ${isAboutRows(filter) ? sql`exists (${tracesOf(sql, filter)})` : sql`true`}
    group by 1 order by 1`;
}
