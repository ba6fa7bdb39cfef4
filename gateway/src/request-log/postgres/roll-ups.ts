/** What analytics sum up of rows: docs/behaviour/request-logs.md#roll-ups. */
import { type LogRow, latencyStep } from '@gatehouse/crds/logs';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A row of `log_minutes` or `log_hours`. */
export interface RollUp {
  readonly bucket: string;
  readonly workspace: string;
  readonly api_key: string;
  readonly provider: string;
  readonly account: string;
  readonly model: string;
  readonly config: string;
  readonly prompt: string;
  readonly status: number;
  readonly cache: string;
  readonly retries: number;
  readonly is_fallback: boolean;
  readonly latency: number;
  requests: number;
  attempts: number;
  response_ms: number;
  cost_nano: number;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
}

/** A row of `user_hours`. */
export interface UserRollUp {
  readonly bucket: string;
  readonly workspace: string;
  readonly api_key: string;
  readonly end_user: string;
  requests: number;
  cost_nano: number;
}

/** In one order for all, so that transactions which change the same rows wait for each other and for nothing else. */
export const minutesOf = (rows: readonly LogRow[]): readonly RollUp[] => rolledUp(rows, MINUTE_MS);
export const hoursOf = (rows: readonly LogRow[]): readonly RollUp[] => rolledUp(rows, HOUR_MS);

export function usersOf(rows: readonly LogRow[]): readonly UserRollUp[] {
  const sums = new Map<string, UserRollUp>();
  for (const { created_at, workspace, api_key, end_user, is_final, cost_nano } of rows) {
    if (end_user === null) continue;
    const named = { bucket: bucketOf(created_at, HOUR_MS), workspace, api_key: api_key ?? '', end_user };
    const key = JSON.stringify(Object.values(named));
    const sum = sums.get(key) ?? { ...named, requests: 0, cost_nano: 0 };
    sums.set(key, sum);
    if (is_final) sum.requests += 1;
    sum.cost_nano += cost_nano ?? 0;
  }
  return inOrder(sums);
}

function rolledUp(rows: readonly LogRow[], widthMs: number): readonly RollUp[] {
  const sums = new Map<string, RollUp>();
  for (const row of rows) {
    const named = namesOf(row, widthMs);
    const key = JSON.stringify(Object.values(named));
    const sum = sums.get(key) ?? { ...named, ...NOTHING };
    sums.set(key, sum);
    add(sum, row);
  }
  return inOrder(sums);
}

const NOTHING = {
  ...{ requests: 0, attempts: 0, response_ms: 0, cost_nano: 0 },
  ...{ input_tokens: 0, output_tokens: 0, total_tokens: 0 },
};

const namesOf = (row: LogRow, widthMs: number) => ({
  bucket: bucketOf(row.created_at, widthMs),
  workspace: row.workspace,
  api_key: row.api_key ?? '',
  provider: row.provider ?? '',
  account: row.account ?? '',
  model: row.model ?? '',
  config: row.config ?? '',
  prompt: row.prompt ?? '',
  status: row.status,
  cache: row.cache ?? '',
  retries: row.retries,
  is_fallback: (row.target_index ?? 0) > 0,
  latency: latencyStep(row.response_ms),
});

/** Requests and their times are those of final rows; cost and tokens are those of all. */
function add(sum: RollUp, row: LogRow): void {
  sum.attempts += 1;
  if (row.is_final) {
    sum.requests += 1;
    sum.response_ms += row.response_ms;
  }
  sum.cost_nano += row.cost_nano ?? 0;
  sum.input_tokens += row.input_tokens;
  sum.output_tokens += row.output_tokens;
  sum.total_tokens += row.total_tokens;
}

const bucketOf = (ms: number, widthMs: number): string => new Date(ms - (ms % widthMs)).toISOString();

const inOrder = <T>(sums: ReadonlyMap<string, T>): readonly T[] =>
  [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
