/** Management operations: what requests come to, over time and by what they have in common. */
import { z } from 'zod';
import { logFilters } from './log-filters.ts';
import { defineOperation } from './operation.ts';
import { dateTime, paging } from './shapes.ts';

const scopes = ['analytics.view'] as const;
const query = z.strictObject(logFilters);
const pages = z.strictObject({ ...logFilters, ...paging });
const count = z.int();
const amount = z.number();

const graph = <S extends z.ZodRawShape, P extends z.ZodRawShape>(summary: S, point: P) =>
  z.object({
    object: z.literal('analytics-graph'),
    summary: z.object(summary),
    data_points: z.array(z.object(point)),
  });
const groups = <D extends z.ZodRawShape>(data: D) =>
  z.object({
    object: z.literal('list'),
    total: count,
    data: z.array(z.object({ ...data, object: z.literal('analytics-group') })),
  });

const total = graph({ total: amount }, { timestamp: dateTime, total: amount });
const totalAndAverage = graph({ total: amount, avg: amount }, { timestamp: dateTime, total: amount, avg: amount });
/** In ms. */
const times = { avg: amount, p50: amount, p90: amount, p99: amount };

const GRAPHS = {
  requests: ['/requests', 'Shows requests over time.', total],
  cost: ['/cost', 'Shows cost in cents over time.', totalAndAverage],
  latency: ['/latency', 'Shows response times over time.', graph(times, { timestamp: dateTime, ...times })],
  tokens: ['/tokens', 'Shows tokens over time.', totalAndAverage],
  users: ['/users', 'Shows how many users of clients there are over time.', total],
  users_requests: [
    '/users/requests',
    'Shows requests for each user of a client over time.',
    graph({ total: count, unique: count, avg: amount }, { timestamp: dateTime, avg: amount }),
  ],
  errors: ['/errors', 'Shows requests that failed over time.', total],
  errors_rate: [
    '/errors/rate',
    'Shows the share of requests that failed, in percent, over time.',
    graph({ rate: amount }, { timestamp: dateTime, rate: amount }),
  ],
  errors_stacks: [
    '/errors/stacks',
    'Shows requests that failed by status over time.',
    graph({ total: count }, { timestamp: dateTime, stats: z.array(z.object({ response_status_code: count, count })) }),
  ],
  errors_status_codes: [
    '/errors/status-codes',
    'Shows requests that failed by status.',
    graph({ total_errors: count, unique_error_codes: count }, { status_code: count, count }),
  ],
  requests_rescued: [
    '/requests/rescued',
    'Shows requests that retries and fallbacks have rescued.',
    graph(
      { retry: count, fallback: count },
      { timestamp: dateTime, retry: z.array(z.object({ retry_success_count: count, count })), fallback: count },
    ),
  ],
  cache_hit_rate: [
    '/cache/hit-rate',
    'Shows answers from the cache over time, and about what they have saved, in cents.',
    graph(
      { total: count, rate: amount },
      {
        timestamp: dateTime,
        simple_hits: count,
        semantic_hits: count,
        rate: amount,
        cumulative_simple_cache_savings: amount,
        cumulative_semantic_cache_savings: amount,
      },
    ),
  ],
  cache_latency: [
    '/cache/latency',
    'Shows response times of answers from the cache over time.',
    graph({ avg: amount }, { timestamp: dateTime, avg: amount }),
  ],
  feedbacks: ['/feedbacks', 'Shows feedback over time.', total],
  feedbacks_scores: [
    '/feedbacks/scores',
    'Shows feedback by value.',
    graph({ total: count }, { score: count, total: count }),
  ],
  feedbacks_weighted: [
    '/feedbacks/weighted',
    'Shows the average of value × weight of feedback over time.',
    graph({ avg: amount }, { timestamp: dateTime, avg: amount }),
  ],
  feedbacks_ai_models: [
    '/feedbacks/ai-models',
    'Shows feedback by model.',
    graph({ total: count }, { ai_model: z.string(), total: count, avg_weighted_feedback: amount }),
  ],
} as const satisfies Record<string, readonly [path: string, summary: string, answer: z.ZodType]>;

const graphOf = <const N extends keyof typeof GRAPHS>(name: N) => {
  const [path, summary, answer] = GRAPHS[name];
  return defineOperation({
    id: `analytics.graphs_${name}`,
    method: 'GET',
    path: `/analytics/graphs${path}`,
    summary,
    scopes,
    query,
    answer: answer as (typeof GRAPHS)[N][2],
  });
};

export const analytics = {
  requests: graphOf('requests'),
  cost: graphOf('cost'),
  latency: graphOf('latency'),
  tokens: graphOf('tokens'),
  users: graphOf('users'),
  usersRequests: graphOf('users_requests'),
  errors: graphOf('errors'),
  errorsRate: graphOf('errors_rate'),
  errorsStacks: graphOf('errors_stacks'),
  errorsStatusCodes: graphOf('errors_status_codes'),
  requestsRescued: graphOf('requests_rescued'),
  cacheHitRate: graphOf('cache_hit_rate'),
  cacheLatency: graphOf('cache_latency'),
  feedbacks: graphOf('feedbacks'),
  feedbacksScores: graphOf('feedbacks_scores'),
  feedbacksWeighted: graphOf('feedbacks_weighted'),
  feedbacksModels: graphOf('feedbacks_ai_models'),
  cacheSummary: defineOperation({
    id: 'analytics.summary_cache',
    method: 'GET',
    path: '/analytics/summary/cache',
    summary: 'Shows what the cache has done.',
    scopes,
    query,
    answer: z.object({
      object: z.literal('analytics-summary'),
      summary: z.object({
        hits: count,
        /** In ms. */
        avg_latency: amount,
        total_requests: count,
        /** How many times faster hits are than other good answers; 0: there is nothing to compare. */
        cache_speedup: amount,
      }),
    }),
  }),
} as const;

export const analyticsGroups = {
  users: defineOperation({
    id: 'analytics.groups_users',
    method: 'GET',
    path: '/analytics/groups/users',
    summary: 'Lists users of clients, those with the most requests first.',
    scopes,
    query: pages,
    answer: groups({ user: z.string(), requests: count, cost: amount }),
  }),
  models: defineOperation({
    id: 'analytics.groups_ai_models',
    method: 'GET',
    path: '/analytics/groups/ai-models',
    summary: 'Lists models, those with the most requests first.',
    scopes,
    query: pages,
    answer: groups({ ai_model: z.string(), requests: count }),
  }),
  metadata: defineOperation({
    id: 'analytics.groups_metadata',
    method: 'GET',
    path: '/analytics/groups/metadata/{metadataKey}',
    summary: 'Lists values of a member of the metadata, those with the most requests first.',
    scopes,
    query: pages,
    answer: groups({
      metadata_value: z.string(),
      requests: count,
      /** In cents. */
      cost: amount,
      avg_tokens: amount,
      avg_weighted_feedback: amount,
      requests_with_feedback: count,
      last_seen: dateTime,
    }),
  }),
} as const;
