/** Management operations: workspaces. */
import { z } from 'zod';
import { rateLimits, shownRateLimits, shownUsageLimit, usageLimits } from './limit-shapes.ts';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, name, paging, uuid } from './shapes.ts';

const metadata = z.record(z.string(), z.string());

const defaults = z.strictObject({
  metadata: metadata.nullish(),
  /** Slugs or UUIDs of guardrails. */
  input_guardrails: z.array(z.string()).nullish(),
  output_guardrails: z.array(z.string()).nullish(),
  /** Slug or UUID of a config. */
  user_api_key_config: z.string().nullish(),
});

const fields = {
  description: z.string().nullish(),
  defaults: defaults.nullish(),
  usage_limits: usageLimits.optional(),
  rate_limits: rateLimits.optional(),
  /** Names have no pictures: only none is accepted. */
  icon: z.literal('').nullish(),
};

const item = z.object({
  object: z.literal('workspace'),
  id: uuid,
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  /** Of its objects. */
  namespace: z.string(),
  status: z.literal('active'),
  is_default: z.literal([0, 1]),
  created_at: dateTime,
  last_updated_at: dateTime,
  last_reset_at: dateTime.nullable(),
  defaults: z.object({ metadata, is_default: z.literal([0, 1]), object: z.literal('workspace') }),
  usage_limits: z.array(shownUsageLimit),
  rate_limits: shownRateLimits,
});

const record = item.extend({
  defaults: item.shape.defaults.extend({
    input_guardrails: z.array(z.string()),
    output_guardrails: z.array(z.string()),
    user_api_key_config: z.string().nullable(),
  }),
});

const PATH = '/admin/workspaces/{workspaceId}';

export const workspaces = {
  list: defineOperation({
    id: 'workspaces.list',
    method: 'GET',
    path: '/admin/workspaces',
    summary: 'Lists the workspaces that the key may see.',
    scopes: ['workspaces.list'],
    query: z.strictObject({
      ...paging,
      name: z.string().optional(),
      exact_name: z.string().optional(),
      status: z.string().optional(),
    }),
    answer: z.object({ object: z.literal('list'), data: z.array(item), total: z.int() }),
  }),
  create: defineOperation({
    id: 'workspaces.create',
    method: 'POST',
    path: '/admin/workspaces',
    summary: 'Makes a workspace for a namespace, which has to exist on a cluster.',
    scopes: ['workspaces.create'],
    body: z.strictObject({
      ...fields,
      name,
      slug: z.string().min(1).max(63).optional(),
      /** Default: the slug. */
      namespace: z.string().min(1).max(63).optional(),
      users: z.array(z.string()).max(0, 'people are added to a workspace that exists').nullish(),
    }),
    answer: record,
  }),
  get: defineOperation({
    id: 'workspaces.get',
    method: 'GET',
    path: PATH,
    summary: 'Reads a workspace.',
    scopes: ['workspaces.read'],
    query: z.strictObject({ name_format: z.enum(['display', 'plain']).optional() }),
    answer: record,
  }),
  update: defineOperation({
    id: 'workspaces.update',
    method: 'PUT',
    path: PATH,
    summary: 'Changes the given members of a workspace; its limits are changed by the organisation.',
    scopes: ['workspaces.update'],
    body: z.strictObject({ ...fields, name: name.optional() }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'workspaces.delete',
    method: 'DELETE',
    path: PATH,
    summary: 'Deletes a workspace, whose name the body repeats; with force_delete also what is in it.',
    scopes: ['workspaces.delete'],
    body: z.strictObject({ name: z.string(), force_delete: z.boolean().optional() }),
  }),
} as const;
