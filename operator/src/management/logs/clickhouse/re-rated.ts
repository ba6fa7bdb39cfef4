/** Prices in hindsight: what a row costs now is beside it. docs/behaviour/request-logs.md#prices-in-hindsight */
import type { LogDecision, LogRow } from '@gatehouse/crds/logs';
import type { AskClickHouse } from './client.ts';
import type { Question } from './question.ts';

/** Of a filter. */
interface Rated {
  readonly reRated?: boolean;
}

interface Time {
  readonly from: number;
  readonly to: number;
}

/** Whether a row costs anything else than what was written. */
export const hasReRated = async (ask: AskClickHouse): Promise<boolean> =>
  (await ask(() => 'select 1 as one from gateway_logs.re_rated limit 1')).length > 0;

/** The table of rows as l, with the difference of their cost where there may be one. */
export function costedRows(q: Question, { reRated }: Rated, { from, to }: Time): string {
  if (reRated !== true) return 'gateway_logs.logs as l';
  return `gateway_logs.logs as l left any join (
      select id as re_rated_id, cost_nano - first_cost_nano as difference from gateway_logs.re_rated final
      where created_at >= ${q.time(from)} and created_at < ${q.time(to)}
    ) as c on l.id = c.re_rated_id`;
}

/** Of a row of `costedRows`. */
export const costOf = ({ reRated }: Rated): string =>
  reRated === true ? '(ifNull(l.cost_nano, 0) + ifNull(c.difference, 0))' : 'ifNull(l.cost_nano, 0)';

/** The rows as they cost now. */
export async function withPresentCost(ask: AskClickHouse, rows: readonly LogRow[]): Promise<readonly LogRow[]> {
  if (rows.length === 0) return rows;
  const times = rows.map(({ created_at }) => created_at);
  const found = await ask<ReRatedRow>(
    (q) => `
      select toString(r.id) as id, r.cost_nano as cost_nano, r.is_unpriced as is_unpriced, r.decision as decision
      from gateway_logs.re_rated as r final
      where r.created_at >= ${q.time(Math.min(...times))} and r.created_at <= ${q.time(Math.max(...times))}
        and has(${q.texts(rows.map(({ id }) => id))}, toString(r.id))`,
  );
  const byId = new Map(found.map((row) => [row.id, row]));
  return rows.map((row) => {
    const now = byId.get(row.id);
    if (now === undefined) return row;
    const { cost_nano, is_unpriced, decision } = now;
    return { ...row, cost_nano, is_unpriced, decision: JSON.parse(decision) as LogDecision }; // as it was written
  });
}

interface ReRatedRow extends Pick<LogRow, 'id' | 'is_unpriced'> {
  readonly cost_nano: number;
  readonly decision: string;
}
