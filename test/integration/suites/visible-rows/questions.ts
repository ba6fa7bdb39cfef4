/** Every question about many rows of a request log, and what its answer says of the rows that it is about. */
import type { LogRow } from '@gatehouse/crds/logs';
import { LOG_GROUPS } from '@gatehouse/crds/rest';

export type Body = Record<string, unknown>;

/** The value of the feedback on the trace of a row. */
export type FeedbackOn = (row: LogRow) => number;

export interface Question {
  readonly path: string;
  readonly said: (body: Body) => unknown;
  readonly expected: (rows: readonly LogRow[], feedbackOn: FeedbackOn) => unknown;
}

const listOf = ({ data }: Body): readonly Body[] => data as Body[];
const add = (bodies: readonly Body[], name: string): number =>
  bodies.reduce((sum, body) => sum + Number(body[name]), 0);
const inSummary =
  (...names: readonly string[]) =>
  ({ summary }: Body): unknown =>
    names.map((name) => (summary as Body)[name]);
const inGroups =
  (name: string) =>
  (body: Body): unknown =>
    add(listOf(body), name);

const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1_000) / 1_000;
const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((100_000 * part) / whole) / 1_000);
const count = (rows: readonly LogRow[]): number => rows.length;
const counted = (rows: readonly LogRow[]): readonly number[] => [rows.length];
const failed = (rows: readonly LogRow[]) => rows.filter(({ status }) => status >= 400);
const hits = (rows: readonly LogRow[]) => rows.filter(({ cache }) => cache !== null);
const timesOf = (rows: readonly LogRow[]): readonly number[] => rows.map(({ response_ms: ms }) => ms);

const GRAPHS: readonly Question[] = [
  { path: '/requests', said: inSummary('total'), expected: counted },
  { path: '/requests?total_units_min=1', said: inSummary('total'), expected: counted },
  { path: '/requests?weighted_feedback_min=-10', said: inSummary('total'), expected: counted },
  {
    path: '/requests/rescued',
    said: inSummary('retry', 'fallback'),
    expected: (rows) => [
      rows.filter(({ retries, status }) => retries > 0 && status < 400).length,
      rows.filter(({ fell_back: fellBack, status }) => fellBack && status < 400).length,
    ],
  },
  { path: '/cost', said: (body) => Number(String(inSummary('total')(body))).toFixed(3), expected: costOf },
  { path: '/tokens', said: inSummary('total'), expected: (rows) => [rows.length * 46] },
  { path: '/latency', said: inSummary('avg'), expected: (rows) => [average(timesOf(rows))] },
  { path: '/users', said: inSummary('total'), expected: counted },
  { path: '/users/requests', said: inSummary('total', 'unique'), expected: ({ length }) => [length, length] },
  { path: '/errors', said: inSummary('total'), expected: (rows) => [failed(rows).length] },
  { path: '/errors/rate', said: inSummary('rate'), expected: (rows) => [share(failed(rows).length, rows.length)] },
  { path: '/errors/stacks', said: inSummary('total'), expected: (rows) => [failed(rows).length] },
  { path: '/errors/status-codes', said: inSummary('total_errors'), expected: (rows) => [failed(rows).length] },
  {
    path: '/cache/hit-rate',
    said: inSummary('total', 'rate'),
    expected: (rows) => [hits(rows).length, share(hits(rows).length, rows.length)],
  },
  { path: '/cache/latency', said: inSummary('avg'), expected: (rows) => [average(timesOf(hits(rows)))] },
  { path: '/feedbacks', said: inSummary('total'), expected: counted },
  {
    path: '/feedbacks/weighted',
    said: inSummary('avg'),
    expected: (rows, feedbackOn) => [average(rows.map(feedbackOn))],
  },
  { path: '/feedbacks/scores', said: inSummary('total'), expected: counted },
  { path: '/feedbacks/ai-models', said: inSummary('total'), expected: counted },
];

function costOf(rows: readonly LogRow[]): string {
  return (rows.reduce((sum, row) => sum + (row.cost_nano ?? 0), 0) / 1e7).toFixed(3);
}

const groups = (path: string): Question => ({ path, said: inGroups('requests'), expected: count });

export const QUESTIONS: readonly Question[] = [
  { path: '/logs', said: ({ total }) => total, expected: count },
  { path: '/logs', said: (body) => listOf(body).length, expected: count },
  { path: '/logs?total_units_min=1', said: ({ total }) => total, expected: count },
  { path: '/logs?weighted_feedback_min=-10', said: ({ total }) => total, expected: count },
  ...GRAPHS.map((graph) => ({ ...graph, path: `/analytics/graphs${graph.path}` })),
  {
    path: '/analytics/summary/cache',
    said: inSummary('hits', 'total_requests'),
    expected: (rows) => [hits(rows).length, rows.length],
  },
  ...LOG_GROUPS.flatMap((by) => [groups(`/logs/groups/${by}`), groups(`/analytics/groups/${by}`)]),
  groups('/analytics/groups/users'),
  groups('/analytics/groups/ai-models'),
  groups('/analytics/groups/metadata/team'),
  { path: '/analytics/groups/metadata/team', said: inGroups('requests_with_feedback'), expected: count },
];
