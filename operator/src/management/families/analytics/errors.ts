/** Graphs of requests that failed, and of those that were rescued. */
import { analytics } from '@gatehouse/crds/rest';
import type { Sum } from '../../logs/index.ts';
import { type BoundOperation, serveOperation } from '../family.ts';
import { graph, graphOf, questionOf, sumsOf } from './graph.ts';
import { add, everySpan, isError, timestamp } from './spans.ts';
import { percent } from './times.ts';

const isFailed = (sum: Sum): boolean => isError(sum) && sum.requests > 0;

/** Requests of sums by a member, in the order of its values. */
function counted(sums: readonly Sum[], name: 'status' | 'retries'): readonly (readonly [number, number])[] {
  const byValue = Map.groupBy(sums, ({ of }) => Number(of[name]));
  return [...byValue].map(([value, group]) => [value, add(group, 'requests')] as const).sort(([a], [b]) => a - b);
}

export const ERROR_GRAPHS: readonly BoundOperation[] = [
  serveOperation(analytics.errors, async (call, services) => {
    const question = await questionOf(call, services);
    return graphOf(await sumsOf(question, { by: [] }), question.width, (sums) => ({ total: add(sums, 'errors') }));
  }),
  serveOperation(analytics.errorsRate, async (call, services) => {
    const question = await questionOf(call, services);
    return graphOf(await sumsOf(question, { by: [] }), question.width, (sums) => ({
      rate: percent(add(sums, 'errors'), add(sums, 'requests')),
    }));
  }),
  serveOperation(analytics.errorsStacks, async (call, services) => {
    const question = await questionOf(call, services);
    const sums = (await sumsOf(question, { by: ['status'] })).filter(isFailed);
    const points = everySpan(sums, question.width, (time, group) => ({
      timestamp: timestamp(time),
      stats: counted(group, 'status').map(([response_status_code, count]) => ({ response_status_code, count })),
    }));
    return graph({ total: add(sums, 'requests') }, points);
  }),
  serveOperation(analytics.errorsStatusCodes, async (call, services) => {
    const { reader, filter } = await questionOf(call, services);
    const sums = (await reader.sum(filter, { by: ['status'] })).sums.filter(isFailed);
    const points = counted(sums, 'status').map(([status_code, count]) => ({ status_code, count }));
    return graph({ total_errors: add(sums, 'requests'), unique_error_codes: points.length }, points);
  }),
  serveOperation(analytics.requestsRescued, async (call, services) => {
    const question = await questionOf(call, services);
    const all = await sumsOf(question, { by: ['status', 'retries'], withFallbacks: true });
    const good = all.filter((sum) => !isError(sum) && sum.requests > 0);
    const retried = (sums: readonly Sum[]) => sums.filter(({ of }) => Number(of.retries) > 0);
    const rescued = good.filter(({ of, fallbacks }) => Number(of.retries) > 0 || fallbacks > 0);
    const points = everySpan(rescued, question.width, (time, sums) => ({
      timestamp: timestamp(time),
      retry: counted(retried(sums), 'retries').map(([retry_success_count, count]) => ({ retry_success_count, count })),
      fallback: add(sums, 'fallbacks'),
    }));
    return graph({ retry: add(retried(good), 'requests'), fallback: add(good, 'fallbacks') }, points);
  }),
];
