/** Graphs of requests, their cost, tokens, times and users. */
import { analytics } from '@gatehouse/crds/rest';
import type { Services } from '../family.ts';
import { type BoundOperation, serveOperation } from '../family.ts';
import { type FilteredCall, graph, graphOf, questionOf, sumsOf } from './graph.ts';
import { add, everySpan, timestamp } from './spans.ts';
import { cents, mergeTimes, percentile, ratio, rounded } from './times.ts';

/** A graph of totals and averages per request; `show` is what is shown of a number. */
async function totals(
  call: FilteredCall,
  services: Services,
  { measure, show }: { readonly measure: 'costNano' | 'totalTokens'; readonly show: (value: number) => number },
) {
  const question = await questionOf(call, services);
  return graphOf(await sumsOf(question, { by: [] }), question.width, (sums) => {
    const [total, requests] = [add(sums, measure), add(sums, 'requests')];
    return { total: show(total), avg: requests === 0 ? 0 : show(total / requests) };
  });
}

export const REQUEST_GRAPHS: readonly BoundOperation[] = [
  serveOperation(analytics.requests, async (call, services) => {
    const question = await questionOf(call, services);
    return graphOf(await sumsOf(question, { by: [] }), question.width, (sums) => ({ total: add(sums, 'requests') }));
  }),
  serveOperation(analytics.cost, (call, services) => totals(call, services, { measure: 'costNano', show: cents })),
  serveOperation(analytics.tokens, (call, services) =>
    totals(call, services, { measure: 'totalTokens', show: rounded }),
  ),
  serveOperation(analytics.latency, async (call, services) => {
    const question = await questionOf(call, services);
    return graphOf(await sumsOf(question, { by: [], withTimes: true }), question.width, (sums) => {
      const times = mergeTimes(sums);
      return {
        avg: ratio(add(sums, 'responseMs'), add(sums, 'requests')),
        ...{ p50: percentile(times, 0.5), p90: percentile(times, 0.9), p99: percentile(times, 0.99) },
      };
    });
  }),
  serveOperation(analytics.users, async (call, services) => {
    const { reader, filter, width } = await questionOf(call, services);
    const { spans, all } = await reader.users(filter, width);
    const points = everySpan(spans, width, (time, [span]) => ({
      timestamp: timestamp(time),
      total: span?.users ?? 0,
    }));
    return graph({ total: all.users }, points);
  }),
  serveOperation(analytics.usersRequests, async (call, services) => {
    const { reader, filter, width } = await questionOf(call, services);
    const { spans, all } = await reader.users(filter, width);
    const points = everySpan(spans, width, (time, [span]) => ({
      timestamp: timestamp(time),
      avg: ratio(span?.requests ?? 0, span?.users ?? 0),
    }));
    const { requests, users } = all;
    return graph({ total: requests, unique: users, avg: ratio(requests, users) }, points);
  }),
];
