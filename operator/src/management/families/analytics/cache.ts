/** What the cache has done. */
import { analytics } from '@gatehouse/crds/rest';
import type { Sum } from '../../logs/index.ts';
import { type BoundOperation, serveOperation } from '../family.ts';
import { graph, graphOf, questionOf, sumsOf } from './graph.ts';
import { add, everySpan, isError, timestamp } from './spans.ts';
import { cents, percent, ratio } from './times.ts';

const HITS = { simple: 'HIT', semantic: 'SEMANTIC HIT' } as const;
type HitKind = keyof typeof HITS;

const ofKind = (sums: readonly Sum[], kind: HitKind): readonly Sum[] =>
  sums.filter(({ of }) => of.cache === HITS[kind]);
const hitsOf = (sums: readonly Sum[]): readonly Sum[] =>
  sums.filter(({ of }) => Object.values<unknown>(HITS).includes(of.cache));
/** Good answers of providers. */
const othersOf = (sums: readonly Sum[]): readonly Sum[] =>
  sums.filter((sum) => !isError(sum) && !Object.values<unknown>(HITS).includes(sum.of.cache));

const modelOf = ({ of }: Sum): string => JSON.stringify([of.provider, of.model]);

/** Good answers that the cache was asked for and did not have: what is not asked of it, such as the rows of a batch, may cost anything. */
const missesOf = (sums: readonly Sum[]): readonly Sum[] =>
  othersOf(sums).filter(({ of: { cache } }) => cache !== undefined && cache !== '' && cache !== 'DISABLED');

/** What hits save, in nano-dollars: the average cost of a miss of the model in the time that is asked for. */
function savingsOf(sums: readonly Sum[]): (hits: readonly Sum[]) => number {
  const costs = new Map<string, number>();
  for (const [model, others] of Map.groupBy(missesOf(sums), modelOf)) {
    const requests = add(others, 'requests');
    costs.set(model, requests === 0 ? 0 : add(others, 'costNano') / requests);
  }
  return (hits) => hits.reduce((sum, hit) => sum + hit.requests * (costs.get(modelOf(hit)) ?? 0), 0);
}

export const CACHE_GRAPHS: readonly BoundOperation[] = [
  serveOperation(analytics.cacheHitRate, async (call, services) => {
    const question = await questionOf(call, services);
    const all = await sumsOf(question, { by: ['provider', 'model', 'status', 'cache'] });
    const savings = savingsOf(all);
    const saved = { simple: 0, semantic: 0 };
    const points = everySpan(all, question.width, (time, sums) => {
      const hits = { simple: ofKind(sums, 'simple'), semantic: ofKind(sums, 'semantic') };
      saved.simple += savings(hits.simple);
      saved.semantic += savings(hits.semantic);
      return {
        timestamp: timestamp(time),
        simple_hits: add(hits.simple, 'hits'),
        semantic_hits: add(hits.semantic, 'hits'),
        rate: percent(add(sums, 'hits'), add(sums, 'requests')),
        cumulative_simple_cache_savings: cents(saved.simple),
        cumulative_semantic_cache_savings: cents(saved.semantic),
      };
    });
    return graph({ total: add(all, 'hits'), rate: percent(add(all, 'hits'), add(all, 'requests')) }, points);
  }),
  serveOperation(analytics.cacheLatency, async (call, services) => {
    const question = await questionOf(call, services);
    const hits = hitsOf(await sumsOf(question, { by: ['cache'] }));
    return graphOf(hits, question.width, (sums) => ({ avg: ratio(add(sums, 'responseMs'), add(sums, 'requests')) }));
  }),
  serveOperation(analytics.cacheSummary, async (call, services) => {
    const { reader, filter } = await questionOf(call, services);
    const { sums } = await reader.sum(filter, { by: ['status', 'cache'] });
    const [hits, others] = [hitsOf(sums), othersOf(sums)];
    const average = (some: readonly Sum[]) => ratio(add(some, 'responseMs'), add(some, 'requests'));
    return {
      object: 'analytics-summary' as const,
      summary: {
        hits: add(sums, 'hits'),
        avg_latency: average(hits),
        total_requests: add(sums, 'requests'),
        cache_speedup: ratio(average(others), average(hits)),
      },
    };
  }),
];
