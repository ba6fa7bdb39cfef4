/** Graphs of what people say about answers. */
import { analytics } from '@gatehouse/crds/rest';
import type { FeedbackKey, KeyedFeedback } from '../../logs/index.ts';
import { type BoundOperation, type Services, serveOperation } from '../family.ts';
import { type FilteredCall, graph, graphOf, questionOf } from './graph.ts';
import { ratio } from './times.ts';

async function feedbackOf(call: FilteredCall, services: Services, key: FeedbackKey) {
  const { reader, filter, width } = await questionOf(call, services);
  const found = await reader.feedback(filter, key, width);
  return { found: found.map((one) => ({ ...one, time: Number(one.key) })), width };
}

const countOf = (found: readonly KeyedFeedback[]): number => found.reduce((sum, { count }) => sum + count, 0);
const averageOf = (found: readonly KeyedFeedback[]): number =>
  ratio(
    found.reduce((sum, { weighted }) => sum + weighted, 0),
    countOf(found),
  );

export const FEEDBACK_GRAPHS: readonly BoundOperation[] = [
  serveOperation(analytics.feedbacks, async (call, services) => {
    const { found, width } = await feedbackOf(call, services, 'time');
    return graphOf(found, width, (some) => ({ total: countOf(some) }));
  }),
  serveOperation(analytics.feedbacksWeighted, async (call, services) => {
    const { found, width } = await feedbackOf(call, services, 'time');
    return graphOf(found, width, (some) => ({ avg: averageOf(some) }));
  }),
  serveOperation(analytics.feedbacksScores, async (call, services) => {
    const { found } = await feedbackOf(call, services, 'value');
    return graph(
      { total: countOf(found) },
      found.map(({ key, count }) => ({ score: Number(key), total: count })),
    );
  }),
  serveOperation(analytics.feedbacksModels, async (call, services) => {
    const { found } = await feedbackOf(call, services, 'model');
    return graph(
      { total: countOf(found) },
      found.map((one) => ({ ai_model: String(one.key), total: one.count, avg_weighted_feedback: averageOf([one]) })),
    );
  }),
];
