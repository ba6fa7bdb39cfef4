/** What people and guardrails say about requests. */
import type { FeedbackKey, KeyedFeedback, LogFilter } from '../reader.ts';
import { type ClickHouseFilter, ofRow, rowConditions, sharedConditions } from './conditions.ts';
import { type GuardrailFeedback, guardrailKeys, type Judgements, judgedKeys } from './judgements.ts';
import type { Question } from './question.ts';
import { costedRows } from './re-rated.ts';

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Whether feedback is asked for by more than its own time and workspace. */
export const isAboutRows = ({ visible, from: _from, to: _to, ...filter }: LogFilter): boolean =>
  visible.people !== undefined ||
  visible.apiKey !== undefined ||
  Object.values(filter).some((asked) => asked !== undefined);

interface JudgedKey {
  readonly key: FeedbackKey;
  /** With the keys that are asked for, but for models. */
  readonly judgements: Judgements;
  /** Only feedback on traces with rows that the filter asks for. */
  readonly isOfRows: boolean;
}

/** The model is that of the newest final row of each trace that the filter asks for. */
export function feedbackQuery(q: Question, filter: ClickHouseFilter, { key, judgements, isOfRows }: JudgedKey): string {
  const asked = { ...filter, ...ALWAYS };
  return `
    with given as (${judgedKeys(q, judgements)}),
    traces as (
      select toString(l.workspace) as workspace, l.trace_id as trace,
        argMax(toString(ifNull(l.model, '')), (l.is_final, l.created_at)) as model
      from ${filter.costNano === undefined ? 'gateway_logs.logs as l' : costedRows(q, asked, asked)}
      where ${rowConditions(q, asked)} and ${sharedConditions(q, asked, ofRow)}
        and (l.workspace, l.trace_id) in (select workspace, trace from given)
      group by workspace, trace
    )
    select ${key === 'model' ? 't.model' : 'g.key'} as key, sum(g.given) as count, sum(g.weighted) as weighted
    from given as g ${isOfRows ? 'inner' : 'left'} join traces as t on g.workspace = t.workspace and g.trace = t.trace
    group by key order by key`;
}

/** Of guardrails alone, whatever rows there are. */
export const guardrailQuery = (q: Question, asked: GuardrailFeedback): string => `
  select key, sum(k.given) as count, sum(k.weighted) as weighted from (${guardrailKeys(q, asked)}) as k group by key`;

/** Keys are numbers. */
export function addKeys(...all: readonly (readonly KeyedFeedback[])[]): readonly KeyedFeedback[] {
  const sums = new Map<number, KeyedFeedback>();
  for (const { key, count, weighted } of all.flat()) {
    const before = sums.get(Number(key));
    sums.set(Number(key), {
      key: Number(key),
      count: count + (before?.count ?? 0),
      weighted: weighted + (before?.weighted ?? 0),
    });
  }
  return [...sums.values()].sort((one, other) => Number(one.key) - Number(other.key));
}
