/** Conditions of SQL: every value is a parameter. */
import type { RawBuilder, Sql } from 'kysely';
import type { Bounds, LogFilter } from '../reader.ts';

export type Fragment = RawBuilder<unknown>;

export const and = (sql: Sql, conditions: readonly (Fragment | undefined)[]): Fragment => {
  const given = conditions.filter((one) => one !== undefined);
  return given.length === 0 ? sql`true` : sql`(${sql.join(given, sql` and `)})`;
};

/** A single value is compared as such, so that an index has the rows in their order. */
export function oneOf(sql: Sql, column: Fragment, values: readonly string[] | undefined): Fragment | undefined {
  if (values === undefined) return undefined;
  return values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${values}::text[])`;
}

/** Where the columns of roll-ups are, in which a name that is missing is the empty text. */
export type Columns = (sql: Sql, name: string) => Fragment;

const own: Columns = (sql, name) => sql.ref(name);

/** Of the table of rows, whose alias is l. */
export const ofRow: Columns = (sql, name) =>
  name === 'workspace' || name === 'status' ? sql`l.${sql.id(name)}` : sql`coalesce(l.${sql.id(name)}, '')`;

/** Of what rows and roll-ups know. */
export function sharedConditions(sql: Sql, filter: LogFilter, columns: Columns = own): Fragment {
  const { visible, apiKeys, accounts, configs, prompts, statuses, models, modelNames } = filter;
  const column = (name: string) => columns(sql, name);
  return and(sql, [
    oneOf(sql, column('workspace'), visible.workspaces),
    visible.apiKey === undefined ? undefined : sql`${column('api_key')} = ${visible.apiKey}`,
    oneOf(sql, column('api_key'), apiKeys),
    oneOf(sql, column('account'), accounts),
    oneOf(sql, column('config'), configs),
    oneOf(sql, column('prompt'), prompts),
    oneOf(sql, column('model'), modelNames),
    statuses && sql`${column('status')} = any(${statuses}::int[])`,
    models &&
      sql`(${column('provider')}, ${column('model')}) in (select * from unnest(${models.map(({ provider }) => provider)}::text[], ${models.map(({ model }) => model)}::text[]))`,
  ]);
}

/** Of what rows alone know; the alias of their table is l. */
export function rowConditions(sql: Sql, filter: LogFilter): Fragment {
  const { visible, traces, spans, inputTokens, outputTokens, totalTokens, costNano, feedback, metadata } = filter;
  const column = (name: string) => sql`l.${sql.id(name)}`;
  return and(sql, [
    visible.people && sql`${column('key_user')} = any(${visible.people}::text[])`,
    oneOf(sql, column('trace_id'), traces),
    spans && sql`coalesce(${column('span_id')}, ${column('id')}::text) = any(${spans}::text[])`,
    between(sql, column('input_tokens'), inputTokens),
    between(sql, column('output_tokens'), outputTokens),
    between(sql, column('total_tokens'), totalTokens),
    between(sql, sql`coalesce(${column('cost_nano')}, 0)`, costNano),
    metadata && sql`${column('metadata')} @> ${JSON.stringify(metadata)}::jsonb`,
    feedback && feedbackCondition(sql, feedback),
  ]);
}

const feedbackCondition = (sql: Sql, bounds: Bounds): Fragment => sql`exists (
  select from gateway_logs.feedback f
  where f.workspace = l.workspace and f.trace_id = l.trace_id
  having count(*) > 0 and ${between(sql, sql`avg(f.value * f.weight)`, bounds) ?? sql`true`})`;

function between(sql: Sql, value: Fragment, bounds: Bounds | undefined): Fragment | undefined {
  if (bounds === undefined) return undefined;
  const { min, max } = bounds;
  return and(sql, [
    min === undefined ? undefined : sql`${value} >= ${min}::float8`,
    max === undefined ? undefined : sql`${value} <= ${max}::float8`,
  ]);
}

/** Whether roll-ups know all that is asked. */
export const isOfRollUps = ({ visible, ...filter }: LogFilter): boolean =>
  visible.people === undefined && ROW_ONLY.every((name) => filter[name] === undefined);

const ROW_ONLY = [
  ...(['traces', 'spans', 'inputTokens', 'outputTokens', 'totalTokens', 'costNano', 'feedback', 'metadata'] as const),
];
