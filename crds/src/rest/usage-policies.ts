/** Management operations: usage limit policies. */
import { z } from 'zod';
import { MAX_GROUP } from '../kinds/usage-limit-policy.ts';
import { alertThreshold, creditLimit } from './limit-shapes.ts';
import { defineOperation } from './operation.ts';
import { description, policyCondition, policyGroupKey, status } from './policy-shapes.ts';
import { dateTime, emptyObject, name, paging, slug, uuid } from './shapes.ts';

const type = z.enum(['cost', 'tokens', 'requests']);
const periodicReset = z.enum(['monthly', 'weekly']).nullable();
const periodicResetDays = z.int().min(1).max(365).nullable();
const nextReset = dateTime.nullable();
/** The values of a group. */
const valueKey = z.string().min(1).max(MAX_GROUP);
const groupStatus = z.enum(['active', 'exhausted']);

const usagePolicy = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  conditions: z.array(policyCondition),
  group_by: z.array(policyGroupKey),
  type,
  credit_limit: z.number(),
  alert_threshold: z.number().nullable(),
  periodic_reset: periodicReset,
  periodic_reset_days: periodicResetDays,
  next_usage_reset_at: nextReset,
  status,
  workspace_id: uuid,
  organisation_id: uuid,
  created_at: dateTime,
  last_updated_at: dateTime,
  description: description.optional(),
});

/** What a change may set; null takes a value away. */
const changeable = {
  name: name.optional(),
  credit_limit: creditLimit.optional(),
  alert_threshold: alertThreshold.optional(),
  periodic_reset: periodicReset.optional(),
  periodic_reset_days: periodicResetDays.optional(),
  next_usage_reset_at: nextReset.optional(),
  description: description.optional(),
} as const;

export const usagePolicies = {
  list: defineOperation({
    id: 'usage_limit_policies.list',
    method: 'GET',
    path: '/policies/usage-limits',
    summary: 'Lists the usage limit policies of a workspace.',
    scopes: ['policies.list'],
    query: z.strictObject({
      ...paging,
      workspace_id: z.string().optional(),
      status: status.optional(),
      type: type.optional(),
    }),
    answer: z.object({ object: z.literal('list'), data: z.array(usagePolicy), total: z.int() }),
  }),
  create: defineOperation({
    id: 'usage_limit_policies.create',
    method: 'POST',
    path: '/policies/usage-limits',
    summary: 'Makes a usage limit policy.',
    scopes: ['policies.create'],
    body: z.strictObject({
      ...changeable,
      slug: slug.optional(),
      credit_limit: creditLimit,
      conditions: z.array(policyCondition).min(1),
      group_by: z.array(policyGroupKey).min(1),
      type,
      workspace_id: z.string().optional(),
      organisation_id: uuid.optional(),
    }),
    answer: z.object({ id: uuid, slug: z.string(), object: z.literal('policy') }),
  }),
  get: defineOperation({
    id: 'usage_limit_policies.get',
    method: 'GET',
    path: '/policies/usage-limits/{policyUsageLimitsId}',
    summary: 'Reads a usage limit policy.',
    scopes: ['policies.read'],
    query: z.strictObject({
      workspace_id: z.string().optional(),
      status: status.optional(),
      include_usage: z.enum(['true', 'false']).optional(),
    }),
    answer: usagePolicy.extend({
      object: z.literal('policy'),
      value_key_usage_map: z.record(z.string(), z.number()).optional(),
    }),
  }),
  update: defineOperation({
    id: 'usage_limit_policies.update',
    method: 'PUT',
    path: '/policies/usage-limits/{policyUsageLimitsId}',
    summary: 'Changes the given members of a usage limit policy.',
    scopes: ['policies.update'],
    body: z.strictObject({
      ...changeable,
      conditions: z.array(policyCondition).optional(),
      reset_usage_for_value: valueKey.optional(),
    }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'usage_limit_policies.delete',
    method: 'DELETE',
    path: '/policies/usage-limits/{policyUsageLimitsId}',
    summary: 'Deletes a usage limit policy.',
    scopes: ['policies.delete'],
    answer: emptyObject,
  }),
  listEntities: defineOperation({
    id: 'usage_limit_policies.list_entities',
    method: 'GET',
    path: '/policies/usage-limits/{policyUsageLimitsId}/entities',
    summary: 'Lists the groups of a usage limit policy with what each has used.',
    scopes: ['policies.read'],
    query: z.strictObject({
      ...paging,
      workspace_id: z.string().optional(),
      status: groupStatus.optional(),
      search: z.string().max(MAX_GROUP).optional(),
    }),
    answer: z.object({
      object: z.literal('list'),
      data: z.array(z.object({ id: uuid, value_key: z.string(), current_usage: z.number(), status: groupStatus })),
      total: z.int(),
    }),
  }),
  resetEntity: defineOperation({
    id: 'usage_limit_policies.reset_entity',
    method: 'PUT',
    path: '/policies/usage-limits/{policyUsageLimitsId}/entities/{entityId}/reset',
    summary: 'Lets a group of a usage limit policy count anew from now on.',
    scopes: ['policies.update'],
    body: z.strictObject({}),
    answer: emptyObject,
  }),
} as const;
