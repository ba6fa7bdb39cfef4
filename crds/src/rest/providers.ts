/** Management operations: providers. */
import { z } from 'zod';
import { rateLimits, resetUsage, shownRateLimits, shownUsageLimits, usageLimits } from './limit-shapes.ts';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, name, paging, slug, uuid } from './shapes.ts';

const changeable = {
  note: z.string().nullish(),
  usage_limits: usageLimits.optional(),
  rate_limits: rateLimits.optional(),
  expires_at: dateTime.nullish(),
};

const provider = z.object({
  object: z.literal('provider'),
  id: uuid,
  slug: z.string(),
  name: z.string(),
  note: z.string().nullable(),
  integration_id: z.string(),
  ai_provider_name: z.string().nullable(),
  status: z.enum(['active', 'exhausted', 'expired']),
  usage_limits: shownUsageLimits,
  rate_limits: shownRateLimits,
  last_reset_at: dateTime.nullable(),
  expires_at: dateTime.nullable(),
  created_at: dateTime,
  last_updated_at: dateTime,
  workspace_id: uuid,
  organisation_id: uuid,
});

const result = z.object({ id: uuid, slug: z.string() });
/** The path names the provider; the workspace is that of the caller, or any for keys of the organisation. */
const query = z.strictObject({ workspace_id: z.string().optional() });

export const providers = {
  list: defineOperation({
    id: 'providers.list',
    method: 'GET',
    path: '/providers',
    summary: 'Lists the providers of a workspace.',
    scopes: ['providers.list'],
    query: z.strictObject({ ...paging, workspace_id: z.string().optional() }),
    answer: z.object({ object: z.literal('list'), data: z.array(provider), total: z.int() }),
  }),
  create: defineOperation({
    id: 'providers.create',
    method: 'POST',
    path: '/providers',
    summary: 'Makes a provider of an integration that the workspace has or is granted.',
    scopes: ['providers.create'],
    body: z.strictObject({
      ...changeable,
      name,
      integration_id: z.string(),
      slug: slug.optional(),
      workspace_id: z.string().nullish(),
    }),
    answer: result,
  }),
  get: defineOperation({
    id: 'providers.get',
    method: 'GET',
    path: '/providers/{slug}',
    summary: 'Reads a provider.',
    scopes: ['providers.read'],
    query,
    answer: provider,
  }),
  update: defineOperation({
    id: 'providers.update',
    method: 'PUT',
    path: '/providers/{slug}',
    summary: 'Changes the given members of a provider.',
    scopes: ['providers.update'],
    query,
    body: z.strictObject({ ...changeable, name: name.optional(), reset_usage: resetUsage }),
    answer: result,
  }),
  delete: defineOperation({
    id: 'providers.delete',
    method: 'DELETE',
    path: '/providers/{slug}',
    summary: 'Deletes a provider.',
    scopes: ['providers.delete'],
    query,
    answer: emptyObject,
  }),
} as const;
