/** Sums by what only rows and roll-ups of users have: users of clients, and members of metadata. */
import type { Label, Page, TimeWidth } from '../reader.ts';
import { segmentsOf } from '../sql/segments.ts';
import { type ClickHouseFilter, isOfRollUps, sharedConditions } from './conditions.ts';
import { rowFacts } from './facts.ts';
import type { Question } from './question.ts';
import { msOf, spanOf } from './sums.ts';

/** Roll-ups of users know workspaces and keys, and no more. */
const isOfUsers = ({ accounts, models, configs, prompts, statuses, ...rest }: ClickHouseFilter): boolean =>
  isOfRollUps(rest) && [accounts, models, configs, prompts, statuses].every((asked) => asked === undefined);

const labelled = (rows: string): string =>
  `select bucket, assumeNotNull(named) as label, requests, cost_nano, total_tokens from (${rows}) where named is not null`;

/** Facts with the user of the client as their label. */
function userFacts(q: Question, filter: ClickHouseFilter, { hours }: { readonly hours: boolean }): string {
  const segments = segmentsOf(filter.from, filter.to, hours && isOfUsers(filter) ? ['hours'] : []);
  const parts = segments.flatMap(({ table, from, to }) => {
    if (table !== 'hours') return [labelled(rowFacts(q, filter, { from, to }, 'l.end_user as named'))];
    const sums = `select toDateTime64(r.bucket, 3, 'UTC') as bucket, r.end_user as label, r.requests as requests,
        r.cost_nano as cost_nano, toUInt64(0) as total_tokens
      from gateway_logs.user_hours as r
      where r.bucket >= ${q.time(from)} and r.bucket < ${q.time(to)} and ${sharedConditions(q, filter, (name) => `r.${name}`)}`;
    return filter.reRated === true ? [sums, userDifferences(q, filter, { from, to })] : [sums];
  });
  return parts.length === 0 ? labelled(rowFacts(q, filter, filter, 'l.end_user as named')) : parts.join(' union all ');
}

/** By how much rows cost more, or less, than roll-ups say. */
const userDifferences = (
  q: Question,
  filter: ClickHouseFilter,
  { from, to }: { readonly from: number; readonly to: number },
): string => `
  select toDateTime64(toStartOfHour(r.created_at), 3, 'UTC') as bucket, assumeNotNull(r.end_user) as label,
    toUInt64(0) as requests, r.cost_nano - r.first_cost_nano as cost_nano, toUInt64(0) as total_tokens
  from gateway_logs.re_rated as r final
  where r.created_at >= ${q.time(from)} and r.created_at < ${q.time(to)} and r.end_user is not null
    and ${sharedConditions(q, filter, (name) => `r.${name}`)}`;

/** The member of the metadata, or null. */
export const memberOf = (q: Question, name: string): string => {
  const key = q.param(name, 'String');
  return `if(mapContains(l.metadata, ${key}), l.metadata[${key}], null)`;
};

export interface LabelRow {
  readonly label: string;
  readonly requests: number;
  readonly costNano: number;
  readonly totalTokens: number;
  readonly lastSeen: number;
  readonly total: number;
}

export function labelQuery(q: Question, filter: ClickHouseFilter, label: Label, { limit, offset }: Page): string {
  const rows =
    label === 'end_user'
      ? userFacts(q, filter, { hours: true })
      : labelled(rowFacts(q, filter, filter, `${memberOf(q, label.metadata)} as named`));
  return `
    with facts as (${rows}),
    grouped as (
      select label, sum(f.requests) as requests, sum(f.cost_nano) as costNano, sum(f.total_tokens) as totalTokens,
        ${msOf('max(f.bucket)')} as lastSeen
      from facts as f group by label
    )
    select *, count() over () as total from grouped
    order by requests desc, label limit ${q.param(limit, 'UInt32')} offset ${q.param(offset, 'UInt32')}`;
}

export interface UserRow {
  readonly time: number;
  readonly users: number;
  readonly requests: number;
}

/** By spans of time; without a width: of all. */
export const userQuery = (
  q: Question,
  filter: ClickHouseFilter,
  { width, hours }: { readonly width: TimeWidth | undefined; readonly hours: boolean },
): string => `
  with facts as (${userFacts(q, filter, { hours })})
  select ${spanOf('bucket', width)} as time, uniqExact(label) as users, sum(f.requests) as requests
  from facts as f group by time order by time`;
