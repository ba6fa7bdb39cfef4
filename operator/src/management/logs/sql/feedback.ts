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

/** Traces with rows that are asked for, once each, with the model of the final row. */
const tracesOf = (sql: Sql, filter: LogFilter): Fragment => sql`
  select distinct on (l.workspace, l.trace_id) l.workspace, l.trace_id, l.model from gateway_logs.logs l
  where (l.workspace, l.trace_id) in (select workspace, trace_id from given)
    and ${rowConditions(sql, filter)} and ${sharedConditions(sql, filter, ofRow)}
  order by l.workspace, l.trace_id, l.is_final desc, l.created_at desc`;

/** Traces are looked for all at once: one after the other would ask the index of every day. */
export function feedbackQuery(sql: Sql, filter: LogFilter, key: FeedbackKey, width: TimeWidth) {
  const { visible, from, to } = filter;
  const isAbout = isAboutRows(filter);
  const named = {
    time: msOf(sql, spanOf(sql, 'created_at', width)),
    value: sql`value`,
    model: sql`coalesce(model, '')`,
  }[key];
  const traces = sql`${isAbout ? sql`` : sql`left`} join (${tracesOf(sql, filter)}) traces using (workspace, trace_id)`;
  return sql<FeedbackRow>`
    with given as (
      select workspace, trace_id, value, weight, created_at from gateway_logs.feedback
      where created_at >= ${instant(from)}::timestamptz and created_at < ${instant(to)}::timestamptz
        and ${oneOf(sql, sql`workspace`, visible.workspaces) ?? sql`true`}
    )
    select ${named} as key, count(*) as count, sum(value * weight) as weighted
    from given ${isAbout || key === 'model' ? traces : sql``}
    group by 1 order by 1`;
}
