/** Feedback on traces: that of people is in PostgreSQL, that of guardrails beside the rows. */
import type { Database, LogTables } from '../../database/index.ts';
import { type FeedbackKey, LogQuestionTooLarge, type TimeWidth } from '../reader.ts';
import type { AskClickHouse } from './client.ts';
import type { Question } from './question.ts';
import { spanOf, startOf } from './spans.ts';
import { ofWorkspaces } from './workspaces.ts';

/** The feedback of people on a trace that has a key in common. */
interface Judgement {
  readonly workspace: string;
  readonly trace: string;
  /** What the feedback is told apart by: a time, or a value. */
  readonly key: number;
  /** How often. */
  readonly given: number;
  /** Sum of value × weight. */
  readonly weighted: number;
}

/** What the feedback is told apart by; absent: by traces alone. */
export interface Keying {
  readonly key: FeedbackKey;
  readonly width: TimeWidth;
}

export interface Judgements {
  readonly people: readonly Judgement[];
  /** Undefined: there is none. */
  readonly guardrails: GuardrailFeedback | undefined;
}

/** That which is asked for. */
export interface GuardrailFeedback extends TimeOfWorkspaces {
  readonly keying: Keying | undefined;
}

/** More traces are no question for ClickHouse. */
const MAX_TRACES = 100_000;

/** Later dates are none. */
const LAST_MS = 8_640_000_000_000_000;

type Workspaces = readonly string[] | undefined;

interface TimeOfWorkspaces {
  readonly workspaces: Workspaces;
  /** Unix time in ms; the end is not included. */
  readonly from: number;
  readonly to: number;
}

export interface FeedbackPlaces {
  readonly ask: AskClickHouse;
  /** Where that of people is. */
  readonly feedback: Pick<Database<LogTables>, 'use'>;
}

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** The feedback of a time, by keys. Throws LogQuestionTooLarge. */
export async function judgementsOf(
  { ask, feedback }: FeedbackPlaces,
  { workspaces, from, to }: TimeOfWorkspaces,
  keying: Keying,
): Promise<Judgements> {
  const [rows, guardrails] = await Promise.all([
    feedback.use((queries) => {
      const query = queries
        .selectFrom('feedback')
        .select(['workspace', 'trace_id', 'value', 'weight', 'created_at'])
        .where('created_at', '>=', new Date(from))
        .where('created_at', '<', new Date(Math.min(to, LAST_MS)));
      return (workspaces === undefined ? query : query.where('workspace', 'in', [...workspaces, '']))
        .limit(MAX_TRACES + 1)
        .execute();
    }),
    hasGuardrails(ask),
  ]);
  const people = bounded(rows).map(({ workspace, trace_id, value, weight, created_at }) => ({
    ...{ workspace, trace: trace_id, given: 1, weighted: Number(value) * Number(weight) },
    key: keyOf({ value: Number(value), at: new Date(created_at).getTime() }, keying),
  }));
  return { people, guardrails: guardrails ? { workspaces, from, to, keying } : undefined };
}

/** All feedback, by traces. Throws LogQuestionTooLarge. */
export async function judgementsByTrace(
  { ask, feedback }: FeedbackPlaces,
  workspaces: Workspaces,
): Promise<Judgements> {
  const { sql } = await import('kysely');
  const [rows, guardrails] = await Promise.all([
    feedback.use((queries) => {
      const query = queries
        .selectFrom('feedback')
        .select([
          'workspace',
          'trace_id',
          sql<string>`count(*)`.as('given'),
          sql<number>`sum(value * weight)`.as('sum'),
        ])
        .groupBy(['workspace', 'trace_id']);
      return (workspaces === undefined ? query : query.where('workspace', 'in', [...workspaces, '']))
        .limit(MAX_TRACES + 1)
        .execute();
    }),
    hasGuardrails(ask),
  ]);
  const people = bounded(rows).map(({ workspace, trace_id, given, sum }) => ({
    ...{ workspace, trace: trace_id, key: 0, given: Number(given), weighted: Number(sum) },
  }));
  return { people, guardrails: guardrails ? { workspaces, ...ALWAYS, keying: undefined } : undefined };
}

/** Whether guardrails have given any: most installations have none, and their questions do without it. */
const hasGuardrails = async (ask: AskClickHouse): Promise<boolean> =>
  (await ask(() => 'select 1 as one from gateway_logs.feedback limit 1')).length > 0;

export const isEmpty = ({ people, guardrails }: Judgements): boolean => people.length === 0 && guardrails === undefined;

interface Given {
  readonly value: number;
  /** Unix time in ms. */
  readonly at: number;
}

function keyOf({ value, at }: Given, { key, width }: Keying): number {
  if (key === 'model') return 0;
  return key === 'time' ? startOf(at, width) : value;
}

function bounded<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= MAX_TRACES) return rows;
  throw new LogQuestionTooLarge(
    `More than ${MAX_TRACES} traces have such feedback: ask for a shorter time or narrower bounds`,
  );
}

/** A statement with the feedback: workspace, trace, key, given, weighted; a trace may come again. */
export function judgedKeys(q: Question, { people, guardrails }: Judgements): string {
  const ofPeople = people.length === 0 && guardrails !== undefined ? [] : [peopleKeys(q, people)];
  return [...ofPeople, ...(guardrails === undefined ? [] : [guardrailKeys(q, guardrails)])].join(' union all ');
}

const peopleKeys = (q: Question, people: readonly Judgement[]): string => `
  select one.1 as workspace, one.2 as trace, toInt64(one.3) as key, toUInt64(one.4) as given, toFloat64(one.5) as weighted
  from (${q.table(
    [
      people.map(({ workspace }) => workspace),
      people.map(({ trace }) => trace),
      ...(['key', 'given', 'weighted'] as const).map((name) => people.map((one) => String(one[name]))),
    ],
    'one',
  )})`;

/** One that was written twice counts once. */
export function guardrailKeys(q: Question, { workspaces, from, to, keying }: GuardrailFeedback): string {
  const key = {
    time: spanOf('f.created_at', keying?.width),
    value: 'toInt64(f.value)',
    model: 'toInt64(0)',
  }[keying?.key ?? 'model'];
  return `
    select toString(f.workspace) as workspace, f.trace_id as trace, ${key} as key, count() as given,
      sum(f.value * f.weight) as weighted
    from gateway_logs.feedback as f final
    where f.created_at >= ${q.time(from)} and f.created_at < ${q.time(to)}
      and ${workspaces === undefined ? 'true' : ofWorkspaces(q, 'f.workspace', workspaces)}
    group by workspace, trace, key`;
}

/** A statement with the feedback on each trace: workspace, trace, given, weighted. */
export const judgedTraces = (q: Question, judgements: Judgements): string => `
  select workspace, trace, sum(k.given) as given, sum(k.weighted) as weighted
  from (${judgedKeys(q, judgements)}) as k group by workspace, trace`;
