/** Management operations: sums of the request log by what requests have in common. */
import { z } from 'zod';
import { logFilters } from './log-filters.ts';
import { defineOperation } from './operation.ts';
import { dateTime, paging } from './shapes.ts';

/** What requests are grouped by. */
export const LOG_GROUPS = [
  'ai_service',
  'model',
  'status_code',
  'api_key',
  'config',
  'workspace',
  'provider',
  'prompt',
] as const;

/** What is known of a group, besides its requests. */
export const LOG_GROUP_COLUMNS = [
  ...(['cost', 'total_tokens', 'avg_tokens', 'avg_input_tokens', 'avg_output_tokens'] as const),
  ...(['avg_latency', 'p95_latency', 'p99_latency', 'success_rate', 'error_count', 'cache_hit_rate'] as const),
  ...(['last_seen', 'first_seen'] as const),
];

const amount = z.number().optional();

const group = z.object({
  object: z.literal('analytics-group'),
  /** The value that the group has in common; the empty text: none. One of these is there. */
  ai_service: z.string().optional(),
  model: z.string().optional(),
  status_code: z.int().optional(),
  api_key: z.string().optional(),
  config: z.string().optional(),
  workspace: z.string().optional(),
  provider: z.string().optional(),
  prompt: z.string().optional(),
  requests: z.int(),
  /** In cents. */
  cost: amount,
  total_tokens: amount,
  avg_tokens: amount,
  avg_input_tokens: amount,
  avg_output_tokens: amount,
  /** In ms. */
  avg_latency: amount,
  p95_latency: amount,
  p99_latency: amount,
  /** In percent. */
  success_rate: amount,
  error_count: amount,
  cache_hit_rate: amount,
  last_seen: dateTime.optional(),
  first_seen: dateTime.optional(),
});

const groups = {
  method: 'GET',
  query: z.strictObject({
    ...logFilters,
    ...paging,
    /** Columns with commas between them. */
    columns: z.string().max(1_024).optional(),
  }),
  answer: z.object({ object: z.literal('list'), total: z.int(), data: z.array(group) }),
} as const;

export const logGroups = {
  analytics: defineOperation({
    ...groups,
    id: 'analytics.groups_by',
    path: '/analytics/groups/{groupBy}',
    summary: 'Lists groups of requests, those with the most requests first.',
    scopes: ['analytics.view'],
  }),
  logs: defineOperation({
    ...groups,
    id: 'logs.group',
    path: '/logs/groups/{groupBy}',
    summary: 'Lists groups of logs, those with the most requests first.',
    scopes: ['logs.view', 'logs.list'],
  }),
} as const;
