/** Sums by what only rows and roll-ups of users have: users of clients, and members of metadata. */
import type { Sql } from 'kysely';
import type { Label, LabelSum, LogFilter, Page, TimeWidth, UserCount } from '../reader.ts';
import { type Fragment, isOfRollUps, oneOf, sharedConditions } from './conditions.ts';
import { instant, rowFacts } from './facts.ts';
import { segmentsOf } from './segments.ts';
import { msOf, spanOf } from './sums.ts';

/** Roll-ups of users know workspaces and keys, and no more. */
const isOfUsers = ({ accounts, models, configs, prompts, statuses, ...rest }: LogFilter): boolean =>
  isOfRollUps(rest) && [accounts, models, configs, prompts, statuses].every((asked) => asked === undefined);

/** Facts with the user of the client as their label. */
function userFacts(sql: Sql, filter: LogFilter, { hours }: { readonly hours: boolean }): Fragment {
  const segments = segmentsOf(filter.from, filter.to, hours && isOfUsers(filter) ? ['hours'] : []);
  const parts = segments.map(({ table, from, to }) =>
    table === 'hours'
      ? sql`select bucket, end_user as label, requests, cost_nano, 0::bigint as total_tokens
          from gateway_logs.user_hours
          where bucket >= ${instant(from)}::timestamptz and bucket < ${instant(to)}::timestamptz
            and ${sharedConditions(sql, filter)}`
      : sql`select bucket, label, requests, cost_nano, total_tokens
          from (${rowFacts(sql, filter, { from, to }, sql`l.end_user as label`)}) labelled where label is not null`,
  );
  return parts.length === 0
    ? sql`select null::timestamptz as bucket, null::text as label, 0::bigint as requests, 0::bigint as cost_nano, 0::bigint as total_tokens where false`
    : sql.join(parts, sql` union all `);
}

const metadataFacts = (sql: Sql, filter: LogFilter, name: string): Fragment => sql`
  select bucket, label, requests, cost_nano, total_tokens
  from (${rowFacts(sql, filter, filter, sql`l.metadata ->> ${name}::text as label`)}) labelled where label is not null`;

interface LabelRow {
  readonly label: string;
  readonly requests: string | number;
  readonly costNano: string | number;
  readonly totalTokens: string | number;
  readonly lastSeen: string | number;
  readonly total: string | number;
}

export const labelQuery = (sql: Sql, filter: LogFilter, label: Label, { limit, offset }: Page) => sql<LabelRow>`
  with facts as (${label === 'end_user' ? userFacts(sql, filter, { hours: true }) : metadataFacts(sql, filter, label.metadata)})
  select label, sum(requests) as requests, sum(cost_nano) as "costNano", sum(total_tokens) as "totalTokens",
    ${msOf(sql, sql`max(bucket)`)} as "lastSeen", count(*) over () as total
  from facts group by label
  order by sum(requests) desc, label limit ${limit} offset ${offset}`;

interface LabelFeedback {
  readonly label: string;
  readonly requests: string | number;
  readonly count: string | number;
  readonly weighted: string | number | null;
}

/**
 * Each feedback counts once for each label that a row of its trace has. `offset 0` keeps rows apart from feedback until they are found: they
 * are read once, and not looked up in every day for each trace.
 */
export const labelFeedbackQuery = (sql: Sql, filter: LogFilter, name: string, labels: readonly string[]) =>
  sql<LabelFeedback>`
    with given as (
      select workspace, trace_id, count(*) as count, sum(value * weight) as weighted
      from gateway_logs.feedback where ${oneOf(sql, sql`workspace`, filter.visible.workspaces) ?? sql`true`}
      group by workspace, trace_id
    ),
    labelled as (
      select label, workspace, trace_id, requests
      from (${rowFacts(sql, filter, filter, sql`l.metadata ->> ${name}::text as label, l.trace_id`)}) every_row
      where label = any(${labels}::text[]) offset 0
    ),
    traces as (
      select label, workspace, trace_id, sum(labelled.requests) as requests
      from labelled join given using (workspace, trace_id) group by label, workspace, trace_id
    )
    select label, sum(traces.requests) as requests, sum(given.count) as count, sum(given.weighted) as weighted
    from traces join given using (workspace, trace_id)
    group by label`;

export function toLabelSum(row: LabelRow, feedback: LabelFeedback | undefined): LabelSum {
  return {
    label: row.label,
    requests: Number(row.requests),
    costNano: Number(row.costNano),
    totalTokens: Number(row.totalTokens),
    lastSeen: Number(row.lastSeen),
    feedback: {
      requests: Number(feedback?.requests ?? 0),
      count: Number(feedback?.count ?? 0),
      weighted: Number(feedback?.weighted ?? 0),
    },
  };
}

interface UserRow {
  readonly time: string | number | null;
  readonly users: string | number;
  readonly requests: string | number | null;
  readonly isAll: boolean;
}

export const userQuery = (sql: Sql, filter: LogFilter, width: TimeWidth) => sql<UserRow>`
  with facts as (${userFacts(sql, filter, { hours: width !== 'minute' })}),
  fine as (
    select ${spanOf(sql, 'bucket', width)} as time, label, sum(requests) as requests from facts group by 1, 2
  )
  select ${msOf(sql, sql`time`)} as time, count(distinct label) as users, sum(requests) as requests, grouping(time) = 1 as "isAll"
  from fine group by grouping sets ((time), ()) order by time`;

export const toUserCount = ({ time, users, requests }: UserRow): UserCount => ({
  time: Number(time ?? 0),
  users: Number(users),
  requests: Number(requests ?? 0),
});
