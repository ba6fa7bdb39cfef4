/** Sums by what only rows and roll-ups of users have: users of clients, and members of metadata. */
import type { Label, LabelSum, Page, TimeWidth } from '../reader.ts';
import { segmentsOf } from '../sql/segments.ts';
import { type ClickHouseFilter, isOfRollUps, sharedConditions } from './conditions.ts';
import { rowFacts } from './facts.ts';
import { isEmpty, type Judgements, judgedTraces } from './judgements.ts';
import { pageOf } from './pages.ts';
import type { Question } from './question.ts';
import { msOf, spanOf } from './spans.ts';

/** Roll-ups of users know workspaces and keys, and no more. */
const isOfUsers = ({ accounts, models, modelNames, configs, prompts, statuses, ...rest }: ClickHouseFilter): boolean =>
  isOfRollUps(rest) && [accounts, models, modelNames, configs, prompts, statuses].every((asked) => asked === undefined);

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
const memberOf = (q: Question, name: string): string => {
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
  readonly place: number;
  /** With feedback. */
  readonly judgedRequests?: number;
  readonly given?: number;
  readonly weighted?: number;
}

interface JudgedLabel {
  readonly label: Label;
  readonly judgements: Judgements;
}

export function labelQuery(
  q: Question,
  filter: ClickHouseFilter,
  { label, judgements }: JudgedLabel,
  page: Page,
): string {
  if (label === 'end_user') return plainQuery(q, userFacts(q, filter, { hours: true }), page);
  const member = `${memberOf(q, label.metadata)} as named`;
  return isEmpty(judgements)
    ? plainQuery(q, labelled(rowFacts(q, filter, filter, member)), page)
    : judgedQuery(q, rowFacts(q, filter, filter, `${member}, l.trace_id as trace`), { judgements, page });
}

const SUMS = `sum(f.requests) as requests, sum(f.cost_nano) as costNano, sum(f.total_tokens) as totalTokens,
  ${msOf('max(f.bucket)')} as lastSeen`;

const MOST_FIRST = 'requests desc, label';

const plainQuery = (q: Question, rows: string, page: Page): string => `
  with facts as (${rows}), grouped as (select label, ${SUMS} from facts as f group by label)
  ${pageOf(q, 'grouped', MOST_FIRST, page)}`;

/**
 * Each feedback counts once for each label that a row of its trace has. Rows are read once. Most of their traces have no feedback, which
 * the hash tells for less than the names; those that seem to have some are looked up by their names, for the labels of the page.
 */
const judgedQuery = (
  q: Question,
  rows: string,
  { judgements, page }: { readonly judgements: Judgements; readonly page: Page },
): string => `
  with judged as (${judgedTraces(q, judgements)}),
  grouped as (
    select assumeNotNull(f.named) as label, ${SUMS},
      groupArrayIf((toString(f.workspace), f.trace, f.requests), cityHash64(f.trace) in (select cityHash64(trace) from judged)) as traces
    from (${rows}) as f where f.named is not null group by label
  ),
  paged as (${pageOf(q, 'grouped', MOST_FIRST, page)}),
  seen as (
    select label, any(requests) as requests, any(costNano) as costNano, any(totalTokens) as totalTokens,
      any(lastSeen) as lastSeen, any(total) as total, any(place) as place, one.1 as workspace, one.2 as trace, sum(one.3) as finals,
      any(isFound) as isFound
    from (
      select label, requests, costNano, totalTokens, lastSeen, total, place, notEmpty(traces) as isFound, one
      from paged left array join traces as one
    ) group by label, workspace, trace
  )
  select s.label as label, any(s.requests) as requests, any(s.costNano) as costNano, any(s.totalTokens) as totalTokens,
    any(s.lastSeen) as lastSeen, any(s.total) as total, any(s.place) as place, sumIf(s.finals, s.isFound and j.given > 0) as judgedRequests,
    sumIf(j.given, s.isFound) as given, sumIf(j.weighted, s.isFound) as weighted
  from seen as s left join judged as j on s.workspace = j.workspace and s.trace = j.trace
  group by label order by ${MOST_FIRST}`;

export const toLabelSum = ({
  total: _,
  place: __,
  judgedRequests = 0,
  given = 0,
  weighted = 0,
  ...row
}: LabelRow): LabelSum => ({
  ...row,
  feedback: { requests: judgedRequests, count: given, weighted },
});

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
