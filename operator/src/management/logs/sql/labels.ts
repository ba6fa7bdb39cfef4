/** Sums by what only rows and roll-ups of users have: users of clients, and members of metadata. */
import type { Sql } from 'kysely';
import type { Label, LabelSum, LogFilter, Page, TimeWidth, UserCount } from '../reader.ts';
import { type Fragment, isOfRollUps, oneOf, sharedConditions } from './conditions.ts';
import { instant, rowFacts } from './facts.ts';
import { pageOf } from './pages.ts';
import { segmentsOf } from './segments.ts';
import { msOf, spanOf } from './sums.ts';

/** Roll-ups of users know workspaces and keys, and no more. */
const isOfUsers = ({ accounts, models, modelNames, configs, prompts, statuses, ...rest }: LogFilter): boolean =>
  isOfRollUps(rest) && [accounts, models, modelNames, configs, prompts, statuses].every((asked) => asked === undefined);

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

interface LabelRow {
  readonly label: string;
  readonly requests: string | number;
  readonly costNano: string | number;
  readonly totalTokens: string | number;
  readonly lastSeen: string | number;
  readonly total: string | number;
  readonly place?: string | number;
  /** With feedback. */
  readonly judgedRequests?: string | number | null;
  readonly given?: string | number | null;
  readonly weighted?: string | number | null;
}

export const labelQuery = (sql: Sql, filter: LogFilter, label: Label, page: Page) =>
  label === 'end_user' ? usersQuery(sql, filter, page) : metadataQuery(sql, filter, label.metadata, page);

const SUMS = 'label, sum(requests) as requests, sum(cost_nano) as "costNano", sum(total_tokens) as "totalTokens"';

const MOST_FIRST = 'requests desc, label';

const usersQuery = (sql: Sql, filter: LogFilter, page: Page) => sql<LabelRow>`
  with facts as (${userFacts(sql, filter, { hours: true })})
  ${pageOf(sql, sql`select ${sql.raw(SUMS)}, ${msOf(sql, sql`max(bucket)`)} as "lastSeen" from facts group by label`, sql.raw(MOST_FIRST), page)}`;

/**
 * Rows are read once, and joined with feedback: each one counts once for each label that a row of its trace has. The first id of its feedback
 * stands for a trace, in all workers the same one: groups with so short a key fit into memory.
 */
const metadataQuery = (sql: Sql, filter: LogFilter, name: string, page: Page) => sql<LabelRow>`
  with judged as (
    select workspace, trace_id, (array_agg(id order by id))[1] as first, count(*) as given, sum(value * weight) as weighted
    from gateway_logs.feedback where ${oneOf(sql, sql`workspace`, filter.visible.workspaces) ?? sql`true`}
    group by workspace, trace_id
  ),
  fine as (
    select f.label, sum(f.requests) as requests, sum(f.cost_nano) as cost_nano, sum(f.total_tokens) as total_tokens,
      max(f.bucket) as bucket, max(j.given) as given, max(j.weighted) as weighted
    from (${rowFacts(sql, filter, filter, sql`l.metadata ->> ${name}::text as label, l.trace_id`)}) f
      left join judged j on j.workspace = f.workspace and j.trace_id = f.trace_id
    where f.label is not null group by f.label, j.first
  )
  ${pageOf(sql, judgedSums(sql), sql.raw(MOST_FIRST), page)}`;

const judgedSums = (sql: Sql): Fragment => sql`
  select ${sql.raw(SUMS)}, ${msOf(sql, sql`max(bucket)`)} as "lastSeen",
    sum(requests) filter (where given > 0) as "judgedRequests", sum(given) as given, sum(weighted) as weighted
  from fine group by label`;

export const toLabelSum = (row: LabelRow): LabelSum => ({
  label: row.label,
  requests: Number(row.requests),
  costNano: Number(row.costNano),
  totalTokens: Number(row.totalTokens),
  lastSeen: Number(row.lastSeen),
  feedback: {
    requests: Number(row.judgedRequests ?? 0),
    count: Number(row.given ?? 0),
    weighted: Number(row.weighted ?? 0),
  },
});

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
