/** Feedback, which is in PostgreSQL, beside rows that are in ClickHouse. */
import type { Database, LogTables } from '../../database/index.ts';
import { type Bounds, LogQuestionTooLarge } from '../reader.ts';
import type { Traces } from './conditions.ts';

/** One feedback. */
export interface Judgement {
  readonly workspace: string;
  readonly trace: string;
  readonly value: number;
  readonly weighted: number;
  /** Unix time in ms. */
  readonly at: number;
}

/** More traces are no question for ClickHouse. */
const MAX_TRACES = 100_000;

/** Later dates are none. */
const LAST_MS = 8_640_000_000_000_000;

type Feedback = Pick<Database<LogTables>, 'use'>;

export interface TimeOfWorkspaces {
  readonly workspaces: readonly string[] | undefined;
  readonly from: number;
  readonly to: number;
}

/** The feedback of a time. Throws LogQuestionTooLarge. */
export async function judgementsOf(
  feedback: Feedback,
  { workspaces, from, to }: TimeOfWorkspaces,
): Promise<readonly Judgement[]> {
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
    workspace,
    trace: trace_id,
    value: Number(value),
    weighted: Number(value) * Number(weight),
    at: new Date(created_at).getTime(),
  }));
}

/** The traces whose feedback has an average of value × weight within the bounds. Throws LogQuestionTooLarge. */
export async function tracesWithin(
  feedback: Feedback,
  { min, max }: Bounds,
  workspaces: readonly string[] | undefined,
): Promise<Traces> {
  const { sql } = await import('kysely');
  const rows = await feedback.use((queries) => {
    const average = sql<number>`avg(value * weight)`;
    let query = queries.selectFrom('feedback').select(['workspace', 'trace_id']).groupBy(['workspace', 'trace_id']);
    if (workspaces !== undefined) query = query.where('workspace', 'in', [...workspaces, '']);
    if (min !== undefined) query = query.having(average, '>=', min);
    if (max !== undefined) query = query.having(average, '<=', max);
    return query.limit(MAX_TRACES + 1).execute();
  });
  return bounded(rows).map(({ workspace, trace_id }) => [workspace, trace_id] as const);
}

function bounded<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= MAX_TRACES) return rows;
  throw new LogQuestionTooLarge(
    `More than ${MAX_TRACES} traces have such feedback: ask for a shorter time or narrower bounds`,
  );
}
