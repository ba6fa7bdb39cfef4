/** Management operations: API keys. */
import { z } from 'zod';
import { API_KEY_TYPES } from '../kinds/scopes.ts';
import { rateLimits, resetUsage, shownRateLimits, shownUsageLimits, usageLimits } from './limit-shapes.ts';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, name, paging, slug, uuid } from './shapes.ts';

/** A key needs the one of the type of the key that the call is about. */
const scopesTo = (action: string): readonly string[] =>
  ['organisation_service', 'workspace_service', 'workspace_user'].map((owner) => `${owner}_api_keys.${action}`);

const defaults = z
  .strictObject({
    metadata: z.record(z.string(), z.string()).nullish(),
    config_id: z.string().nullish(),
    allow_config_override: z.boolean().nullish(),
  })
  .nullish();

const rotationPolicy = z
  .strictObject({
    rotation_period: z.enum(['weekly', 'monthly']).nullish(),
    rotation_period_days: z.int().nullish(),
    next_rotation_at: dateTime.nullish(),
    key_transition_period_ms: z.int().nullish(),
    status: z.unknown().optional(),
  })
  .nullish();

const changeable = {
  description: z.string().nullish(),
  rate_limits: rateLimits.optional(),
  usage_limits: usageLimits.optional(),
  defaults,
  alert_emails: z.array(z.string()).nullish(),
  expires_at: dateTime.nullish(),
};

const apiKey = z.object({
  object: z.literal('api-key'),
  id: uuid,
  slug: z.string(),
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type: z.enum(API_KEY_TYPES),
  organisation_id: uuid,
  workspace_id: uuid.nullable(),
  user_id: z.string().nullable(),
  status: z.enum(['active', 'exhausted', 'expired']),
  creation_mode: z.literal('api'),
  created_at: dateTime,
  last_updated_at: dateTime,
  scopes: z.array(z.string()),
  defaults: z.object({ metadata: z.record(z.string(), z.string()), config_id: z.string().nullable() }),
  allow_config_override: z.union([z.literal(0), z.literal(1)]),
  usage_limits: shownUsageLimits,
  rate_limits: shownRateLimits,
  last_reset_at: dateTime.nullable(),
  alert_emails: z.array(z.string()),
  expires_at: dateTime.nullable(),
  rotation_policy: z
    .object({
      rotation_period: z.enum(['weekly', 'monthly']).nullable(),
      rotation_period_days: z.int().nullable(),
      next_rotation_at: dateTime.nullable(),
      key_transition_period_ms: z.int(),
      status: z.literal('ACTIVE'),
    })
    .nullable(),
});

export const apiKeys = {
  create: defineOperation({
    id: 'api_keys.create',
    method: 'POST',
    path: '/api-keys/{type}/{subType}',
    summary: 'Makes an API key; only this answer has the key itself.',
    scopes: scopesTo('create'),
    body: z.strictObject({
      ...changeable,
      name,
      slug: slug.optional(),
      scopes: z.array(z.string()).min(1),
      organisation_id: uuid.nullish(),
      workspace_id: z.string().nullish(),
      user_id: z.string().nullish(),
    }),
    answer: z.object({ id: uuid, key: z.string(), object: z.literal('api-key') }),
  }),
  list: defineOperation({
    id: 'api_keys.list',
    method: 'GET',
    path: '/api-keys',
    summary: 'Lists the API keys of a workspace or of the organisation, of the types that the caller may list.',
    scopes: scopesTo('list'),
    query: z.strictObject({ ...paging, workspace_id: z.string().optional(), ids: z.string().optional() }),
    answer: z.object({ object: z.literal('list'), data: z.array(apiKey), total: z.int() }),
  }),
  get: defineOperation({
    id: 'api_keys.get',
    method: 'GET',
    path: '/api-keys/{id}',
    summary: 'Reads an API key; the key itself is masked.',
    scopes: scopesTo('read'),
    answer: apiKey,
  }),
  update: defineOperation({
    id: 'api_keys.update',
    method: 'PUT',
    path: '/api-keys/{id}',
    summary: 'Changes the given members of an API key.',
    scopes: scopesTo('update'),
    body: z.strictObject({
      ...changeable,
      name: name.optional(),
      scopes: z.array(z.string()).min(1).optional(),
      rotation_policy: rotationPolicy,
      reset_usage: resetUsage,
    }),
    answer: emptyObject,
  }),
  rotate: defineOperation({
    id: 'api_keys.rotate',
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    summary:
      'Replaces the key itself; only this answer has the new one. The previous one goes on working for the transition.',
    scopes: scopesTo('rotate'),
    body: z.strictObject({ key_transition_period_ms: z.int().min(1_800_000).max(31_536_000_000).nullish() }),
    answer: z.object({ id: uuid, key: z.string(), key_transition_expires_at: dateTime }),
  }),
  delete: defineOperation({
    id: 'api_keys.delete',
    method: 'DELETE',
    path: '/api-keys/{id}',
    summary: 'Deletes an API key, which is refused from then on.',
    scopes: scopesTo('delete'),
    answer: emptyObject,
  }),
} as const;
