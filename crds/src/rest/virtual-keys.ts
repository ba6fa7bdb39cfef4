/** Management operations: virtual keys. */
import { z } from 'zod';
import { rateLimits, resetUsage, shownRateLimits, shownUsageLimits, usageLimits } from './limit-shapes.ts';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, name, paging, secretMappings, shownSecretMappings, slug, uuid } from './shapes.ts';

const deployment = z.strictObject({
  deploymentName: z.string(),
  alias: z.string().nullish(),
  apiVersion: z.string().nullish(),
  is_default: z.boolean().nullish(),
});

/** Members beside these are the fields of the provider, in either spelling: docs/behaviour/providers.md. */
const members = {
  key: z.string().nullish(),
  note: z.string().nullish(),
  models: z.array(z.string()).nullish(),
  deploymentName: z.string().nullish(),
  deploymentConfig: z.array(deployment).nullish(),
  usage_limits: usageLimits.optional(),
  rate_limits: rateLimits.optional(),
  expires_at: dateTime.nullish(),
  secret_mappings: secretMappings,
};
const providerField = z.string().nullable();

const virtualKey = z.object({
  object: z.literal('virtual-key'),
  id: uuid,
  slug: z.string(),
  name: z.string(),
  note: z.string().nullable(),
  status: z.enum(['active', 'exhausted', 'expired']),
  ai_provider_name: z.string(),
  masked_api_key: z.string().nullable(),
  model_config: z.record(z.string(), z.unknown()),
  models: z.array(z.string()).nullable(),
  usage_limits: shownUsageLimits,
  rate_limits: shownRateLimits,
  last_reset_at: dateTime.nullable(),
  secret_mappings: shownSecretMappings,
  expires_at: dateTime.nullable(),
  created_at: dateTime,
  last_updated_at: dateTime,
  workspace_id: uuid,
  organisation_id: uuid,
});

export const virtualKeys = {
  list: defineOperation({
    id: 'virtual_keys.list',
    method: 'GET',
    path: '/virtual-keys',
    summary: 'Lists the virtual keys of a workspace.',
    scopes: ['virtual_keys.list'],
    query: z.strictObject({ ...paging, workspace_id: z.string().optional() }),
    answer: z.object({ object: z.literal('list'), data: z.array(virtualKey), total: z.int() }),
  }),
  create: defineOperation({
    id: 'virtual_keys.create',
    method: 'POST',
    path: '/virtual-keys',
    summary: 'Makes a virtual key; its credential goes into a Secret.',
    scopes: ['virtual_keys.create'],
    body: z
      .object({ ...members, name, slug: slug.optional(), provider: z.string(), workspace_id: z.string().nullish() })
      .catchall(providerField),
    answer: z.object({ success: z.literal(true), data: z.object({ id: uuid, slug: z.string() }) }),
  }),
  get: defineOperation({
    id: 'virtual_keys.get',
    method: 'GET',
    path: '/virtual-keys/{slug}',
    summary: 'Reads a virtual key; its credential is masked.',
    scopes: ['virtual_keys.read'],
    answer: virtualKey,
  }),
  update: defineOperation({
    id: 'virtual_keys.update',
    method: 'PUT',
    path: '/virtual-keys/{slug}',
    summary: 'Changes the given members of a virtual key.',
    scopes: ['virtual_keys.update'],
    body: z
      .object({ ...members, name: name.optional(), provider: z.string().optional(), reset_usage: resetUsage })
      .catchall(providerField),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'virtual_keys.delete',
    method: 'DELETE',
    path: '/virtual-keys/{slug}',
    summary: 'Deletes a virtual key and its Secret.',
    scopes: ['virtual_keys.delete'],
    answer: emptyObject,
  }),
} as const;
