/** Conditions on rows and roll-ups. */
import type { Bounds, LogFilter } from '../reader.ts';
import { type Judgements, judgedTraces } from './judgements.ts';
import type { Question } from './question.ts';
import { costOf } from './re-rated.ts';
import { ofWorkspaces } from './workspaces.ts';

/** A filter with what else is known of its time. */
export interface ClickHouseFilter extends Omit<LogFilter, 'feedback'> {
  /** Bounds of the average of value × weight of the trace, and the feedback that there is. */
  readonly judged?: { readonly bounds: Bounds; readonly feedback: Judgements } | undefined;
  /** Rows may cost something else than what was written. */
  readonly reRated?: boolean;
}

export const and = (conditions: readonly (string | undefined)[]): string => {
  const given = conditions.filter((one) => one !== undefined);
  return given.length === 0 ? 'true' : `(${given.join(' and ')})`;
};

/** Where the columns of roll-ups are, in which a name that is missing is the empty text. */
export type Columns = (name: string) => string;

/** Of the table of rows, whose alias is l. */
export const ofRow: Columns = (name) =>
  name === 'workspace' || name === 'status' ? `l.${name}` : `ifNull(l.${name}, '')`;

/** Of what rows and roll-ups know. */
export function sharedConditions(q: Question, filter: ClickHouseFilter, column: Columns): string {
  const { visible, apiKeys, accounts, configs, prompts, statuses, models, modelNames } = filter;
  const oneOf = (name: string, values: readonly string[] | undefined): string | undefined =>
    values && `has(${q.param(values, 'Array(String)')}, toString(${column(name)}))`;
  return and([
    visible.workspaces && ofWorkspaces(q, column('workspace'), visible.workspaces),
    visible.apiKey === undefined ? undefined : `${column('api_key')} = ${q.param(visible.apiKey, 'String')}`,
    oneOf('api_key', apiKeys),
    oneOf('account', accounts),
    oneOf('config', configs),
    oneOf('prompt', prompts),
    oneOf('model', modelNames),
    statuses && `has(${q.param(statuses, 'Array(UInt16)')}, ${column('status')})`,
    models &&
      `(${column('provider')}, ${column('model')}) in ${q.pairs(models.map(({ provider, model }) => [provider, model]))}`,
  ]);
}

/** Of what rows alone know; the alias of their table is l, with their cost as `costedRows` has it. */
export function rowConditions(q: Question, filter: ClickHouseFilter): string {
  const { visible, traces, spans, inputTokens, outputTokens, totalTokens, costNano, judged, metadata } = filter;
  const texts = (values: readonly string[]): string => q.param(values, 'Array(String)');
  return and([
    visible.people && `has(${texts(visible.people)}, toString(ifNull(l.key_user, '')))`,
    traces && `has(${texts(traces)}, l.trace_id)`,
    spans && `has(${texts(spans)}, ifNull(l.span_id, toString(l.id)))`,
    between(q, 'l.input_tokens', inputTokens),
    between(q, 'l.output_tokens', outputTokens),
    between(q, 'l.total_tokens', totalTokens),
    between(q, costOf(filter), costNano),
    ...Object.entries(metadata ?? {}).map(([name, value]) => {
      const key = q.param(name, 'String');
      return `(mapContains(l.metadata, ${key}) and l.metadata[${key}] = ${q.param(value, 'String')})`;
    }),
    judged && ofJudged(q, judged.feedback, between(q, 'weighted / given', judged.bounds)),
  ]);
}

/** Whether the trace of the row has such feedback. */
const ofJudged = (q: Question, feedback: Judgements, having = 'true'): string =>
  `(l.workspace, l.trace_id) in (select workspace, trace from (${judgedTraces(q, feedback)}) where ${having})`;

function between(q: Question, value: string, bounds: Bounds | undefined): string | undefined {
  if (bounds === undefined) return undefined;
  const { min, max } = bounds;
  return and([
    min === undefined ? undefined : `${value} >= ${q.param(min, 'Float64')}`,
    max === undefined ? undefined : `${value} <= ${q.param(max, 'Float64')}`,
  ]);
}

/** Whether roll-ups know all that is asked. */
export const isOfRollUps = ({ visible, ...filter }: ClickHouseFilter): boolean =>
  visible.people === undefined && ROW_ONLY.every((name) => filter[name] === undefined);

const ROW_ONLY = [
  ...(['traces', 'spans', 'inputTokens', 'outputTokens', 'totalTokens', 'costNano', 'judged', 'metadata'] as const),
];
