/** Management operations: rate limit policies. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { description, policyCondition, policyGroupKey, status } from './policy-shapes.ts';
import { dateTime, emptyObject, name, paging, slug, uuid } from './shapes.ts';

const type = z.enum(['requests', 'tokens']);
const unit = z.enum(['rpm', 'rph', 'rpd', 'rpw']);

const ratePolicy = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string().nullable().optional(),
  conditions: z.array(policyCondition),
  group_by: z.array(policyGroupKey),
  type,
  unit,
  value: z.number(),
  status,
  workspace_id: uuid,
  organisation_id: uuid,
  created_at: dateTime,
  last_updated_at: dateTime,
  description: description.optional(),
  target: z.enum(['llm', 'mcp_tools']),
});

export const ratePolicies = {
  list: defineOperation({
    id: 'rate_limit_policies.list',
    method: 'GET',
    path: '/policies/rate-limits',
    summary: 'Lists the rate limit policies of a workspace.',
    scopes: ['policies.list'],
    query: z.strictObject({
      ...paging,
      workspace_id: z.string().optional(),
      status: status.optional(),
      type: type.optional(),
      unit: unit.optional(),
    }),
    answer: z.object({ object: z.literal('list'), data: z.array(ratePolicy), total: z.int() }),
  }),
  create: defineOperation({
    id: 'rate_limit_policies.create',
    method: 'POST',
    path: '/policies/rate-limits',
    summary: 'Makes a rate limit policy.',
    scopes: ['policies.create'],
    body: z.strictObject({
      name: name.optional(),
      slug: slug.optional(),
      conditions: z.array(policyCondition).min(1),
      group_by: z.array(policyGroupKey).min(1),
      type,
      unit,
      value: z.number(),
      workspace_id: z.string().optional(),
      organisation_id: uuid.optional(),
      description: description.optional(),
      target: z.enum(['llm', 'mcp_tools']).optional(),
    }),
    answer: z.object({ id: uuid, slug: z.string(), object: z.literal('policy') }),
  }),
  get: defineOperation({
    id: 'rate_limit_policies.get',
    method: 'GET',
    path: '/policies/rate-limits/{rateLimitsPolicyId}',
    summary: 'Reads a rate limit policy.',
    scopes: ['policies.read'],
    query: z.strictObject({ workspace_id: z.string().optional(), status: status.optional() }),
    answer: ratePolicy.extend({ object: z.literal('policy') }),
  }),
  update: defineOperation({
    id: 'rate_limit_policies.update',
    method: 'PUT',
    path: '/policies/rate-limits/{rateLimitsPolicyId}',
    summary: 'Changes the given members of a rate limit policy.',
    scopes: ['policies.update'],
    body: z.strictObject({
      name: name.optional(),
      unit: unit.optional(),
      value: z.number().optional(),
      description: description.optional(),
      conditions: z.array(policyCondition).optional(),
    }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'rate_limit_policies.delete',
    method: 'DELETE',
    path: '/policies/rate-limits/{rateLimitsPolicyId}',
    summary: 'Deletes a rate limit policy.',
    scopes: ['policies.delete'],
    answer: emptyObject,
  }),
} as const;
