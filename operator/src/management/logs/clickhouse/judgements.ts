/** Feedback on traces, which is in PostgreSQL, beside rows that are in ClickHouse. */
import type { Database, LogTables } from '../../database/index.ts';
import { LogQuestionTooLarge } from '../reader.ts';
import type { Question } from './question.ts';

/** The feedback on a trace that has a key in common. */
export interface Judgement {
  readonly workspace: string;
  readonly trace: string;
  /** What the feedback is told apart by: a time, or a value. */
  readonly key: number;
  /** How often. */
  readonly given: number;
  /** Sum of value × weight. */
  readonly weighted: number;
}

export type Judgements = readonly Judgement[];

/** More traces are no question for ClickHouse. */
const MAX_TRACES = 100_000;

/** Later dates are none. */
const LAST_MS = 8_640_000_000_000_000;

type Feedback = Pick<Database<LogTables>, 'use'>;
type Workspaces = readonly string[] | undefined;

interface TimeOfWorkspaces {
  readonly workspaces: Workspaces;
  /** Unix time in ms; the end is not included. */
  readonly from: number;
  readonly to: number;
}

/** One feedback. */
interface Given {
  readonly value: number;
  /** Unix time in ms. */
  readonly at: number;
}

/** Each feedback of a time. Throws LogQuestionTooLarge. */
export async function judgementsOf(
  feedback: Feedback,
  { workspaces, from, to }: TimeOfWorkspaces,
  keyOf: (given: Given) => number,
): Promise<Judgements> {
  const rows = await feedback.use((queries) => {
    const query = queries
      .selectFrom('feedback')
      .select(['workspace', 'trace_id', 'value', 'weight', 'created_at'])
      .where('created_at', '>=', new Date(from))
      .where('created_at', '<', new Date(Math.min(to, LAST_MS)));
    return (workspaces === undefined ? query : query.where('workspace', 'in', [...workspaces, '']))
      .limit(MAX_TRACES + 1)
      .execute();
  });
  return bounded(rows).map(({ workspace, trace_id, value, weight, created_at }) => ({
    ...{ workspace, trace: trace_id, given: 1, weighted: Number(value) * Number(weight) },
    key: keyOf({ value: Number(value), at: new Date(created_at).getTime() }),
  }));
}

/** All feedback by trace; the key is 0. Throws LogQuestionTooLarge. */
export async function judgementsByTrace(feedback: Feedback, workspaces: Workspaces): Promise<Judgements> {
  const { sql } = await import('kysely');
  const rows = await feedback.use((queries) => {
    const query = queries
      .selectFrom('feedback')
      .select(['workspace', 'trace_id', sql<string>`count(*)`.as('given'), sql<number>`sum(value * weight)`.as('sum')])
      .groupBy(['workspace', 'trace_id']);
    return (workspaces === undefined ? query : query.where('workspace', 'in', [...workspaces, '']))
      .limit(MAX_TRACES + 1)
      .execute();
  });
  return bounded(rows).map(({ workspace, trace_id, given, sum }) => ({
    ...{ workspace, trace: trace_id, key: 0, given: Number(given), weighted: Number(sum) },
  }));
}

function bounded<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= MAX_TRACES) return rows;
  throw new LogQuestionTooLarge(
    `More than ${MAX_TRACES} traces have such feedback: ask for a shorter time or narrower bounds`,
  );
}

/** A statement with the feedback: workspace, trace, key, given, weighted. */
export const judgedKeys = (q: Question, judgements: Judgements): string => `
  select one.1 as workspace, one.2 as trace, toInt64(one.3) as key, toUInt64(one.4) as given, toFloat64(one.5) as weighted
  from (${q.table(
    [
      judgements.map(({ workspace }) => workspace),
      judgements.map(({ trace }) => trace),
      ...(['key', 'given', 'weighted'] as const).map((name) => judgements.map((one) => String(one[name]))),
    ],
    'one',
  )})`;

/** A statement with the feedback on each trace: workspace, trace, given, weighted. */
export const judgedTraces = (q: Question, judgements: Judgements): string => `
  select workspace, trace, sum(k.given) as given, sum(k.weighted) as weighted
  from (${judgedKeys(q, judgements)}) as k group by workspace, trace`;
