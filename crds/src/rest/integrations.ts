/** Management operations: integrations, their models, and the workspaces that have them. */
import { z } from 'zod';
import { rateLimits, resetUsage, shownRateLimits, shownUsageLimit, usageLimits } from './limit-shapes.ts';
import { defineOperation } from './operation.ts';
import {
  anyObject,
  dateTime,
  emptyObject,
  name,
  paging,
  secretMappings,
  shownSecretMappings,
  slug,
  uuid,
} from './shapes.ts';

const type = z.enum(['organisation', 'workspace']);

const item = z.object({
  object: z.literal('integration'),
  id: uuid,
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  ai_provider_id: z.string(),
  type,
  status: z.literal('active'),
  organisation_id: uuid,
  workspace_id: uuid.nullable(),
  created_at: dateTime,
  last_updated_at: dateTime,
});

/** Fields of the provider: docs/behaviour/providers.md. */
const configurations = z.record(z.string(), z.unknown()).nullish();

/** Prices are those of the provider, times the factor. */
const pricingAdjustments = z
  .strictObject({ multiplier: z.strictObject({ default: z.number().min(0).nullish() }).nullish() })
  .nullable();

const fields = {
  key: z.string().nullish(),
  description: z.string().nullish(),
  configurations,
  secret_mappings: secretMappings,
  pricing_adjustments: pricingAdjustments.optional(),
};

/** Without its limits where it is only switched on or off. */
const access = {
  enabled: z.boolean(),
  usage_limits: usageLimits.optional(),
  rate_limits: rateLimits.optional(),
  reset_usage: resetUsage,
};
const shownAccess = {
  enabled: z.boolean(),
  usage_limits: z.array(shownUsageLimit).nullable(),
  rate_limits: shownRateLimits.nullable(),
};

const record = item.extend({
  masked_key: z.string().nullable(),
  configurations: anyObject,
  global_workspace_access_settings: z.object(shownAccess).nullable(),
  allow_all_models: z.boolean(),
  workspace_count: z.int(),
  secret_mappings: shownSecretMappings,
  pricing_adjustments: z.object({ multiplier: z.object({ default: z.number() }) }).nullable(),
});

const tokenPrice = z.object({ price: z.number().min(0) });
const pricingConfig = z.strictObject({
  type: z.literal('static'),
  pay_as_you_go: z.strictObject({ request_token: tokenPrice.optional(), response_token: tokenPrice.optional() }),
});

const modelOverrides = z.strictObject({ custom_host: z.string().nullish() });
const isTrue = z.union([z.boolean(), z.literal([0, 1]), z.literal(['true', 'false'])]).nullish();

const model = z.strictObject({
  slug: z.string().min(1),
  enabled: z.boolean(),
  is_custom: isTrue,
  is_finetune: isTrue,
  base_model_slug: z.string().nullish(),
  configurations: modelOverrides.nullish(),
  pricing_config: pricingConfig.nullish(),
});

const shownModel = z.object({
  slug: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  is_custom: z.boolean(),
  is_finetune: z.boolean(),
  base_model_slug: z.string().nullable(),
  configurations: z.object({ custom_host: z.string().nullable() }),
  pricing_config: pricingConfig.nullable(),
});

const scopes = (action: string) => [`organisation_integrations.${action}`, `workspace_integrations.${action}`];

export const integrations = {
  list: defineOperation({
    id: 'integrations.list',
    method: 'GET',
    path: '/integrations',
    summary: 'Lists the integrations of a workspace and those that are granted to it, or all of them.',
    scopes: scopes('list'),
    query: z.strictObject({
      ...paging,
      workspace_id: z.string().optional(),
      type: z.enum(['workspace', 'organisation', 'all']).optional(),
    }),
    answer: z.object({ object: z.literal('list'), data: z.array(item), total: z.int() }),
  }),
  create: defineOperation({
    id: 'integrations.create',
    method: 'POST',
    path: '/integrations',
    summary: 'Makes an integration in a workspace, or one of the organisation; its credential goes into a Secret.',
    scopes: scopes('create'),
    body: z.strictObject({
      ...fields,
      name,
      slug: slug.optional(),
      ai_provider_id: z.string(),
      workspace_id: z.string().nullish(),
      create_default_provider: z.boolean().nullish(),
      default_provider_slug: slug.nullish(),
    }),
    answer: z.object({ id: uuid, slug: z.string() }),
  }),
  get: defineOperation({
    id: 'integrations.get',
    method: 'GET',
    path: '/integrations/{slug}',
    summary: 'Reads an integration; its credential is masked.',
    scopes: scopes('read'),
    answer: record,
  }),
  update: defineOperation({
    id: 'integrations.update',
    method: 'PUT',
    path: '/integrations/{slug}',
    summary: 'Changes the given members of an integration.',
    scopes: scopes('update'),
    body: z.strictObject({ ...fields, name: name.optional() }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'integrations.delete',
    method: 'DELETE',
    path: '/integrations/{slug}',
    summary: 'Deletes an integration, its Secret and what grants it to workspaces.',
    scopes: scopes('delete'),
    answer: emptyObject,
  }),
} as const;

export const integrationModels = {
  list: defineOperation({
    id: 'integration_models.list',
    method: 'GET',
    path: '/integrations/{slug}/models',
    summary: 'Lists the models that an integration has settings for.',
    scopes: scopes('read'),
    answer: z.object({ total: z.int(), models: z.array(shownModel), allow_all_models: z.boolean() }),
  }),
  write: defineOperation({
    id: 'integration_models.write',
    method: 'PUT',
    path: '/integrations/{slug}/models',
    summary: 'Merges settings of models by their slugs; a new host needs the credential, too.',
    scopes: scopes('update'),
    body: z.strictObject({
      models: z.array(model),
      allow_all_models: z.boolean().optional(),
      key: z.string().nullish(),
      configurations,
    }),
    answer: emptyObject,
  }),
  deleteCustom: defineOperation({
    id: 'integration_models.delete_custom',
    method: 'DELETE',
    path: '/integrations/{slug}/models',
    summary: 'Deletes custom models, whose slugs are separated by commas.',
    scopes: scopes('update'),
    query: z.strictObject({ slugs: z.string().min(1) }),
    answer: emptyObject,
  }),
} as const;

export const integrationWorkspaces = {
  list: defineOperation({
    id: 'integration_workspaces.list',
    method: 'GET',
    path: '/integrations/{slug}/workspaces',
    summary: 'Lists the workspaces that an integration of the organisation is granted to.',
    scopes: scopes('read'),
    answer: z.object({ total: z.int(), workspaces: z.array(z.object({ id: z.string(), ...shownAccess })) }),
  }),
  write: defineOperation({
    id: 'integration_workspaces.write',
    method: 'PUT',
    path: '/integrations/{slug}/workspaces',
    summary: 'Grants an integration of the organisation to workspaces, or takes it away.',
    scopes: ['organisation_integrations.update'],
    body: z.strictObject({
      workspaces: z
        .array(
          z.strictObject({
            id: z.string(),
            ...access,
            create_default_provider: z.boolean().nullish(),
            default_provider_slug: slug.nullish(),
          }),
        )
        .max(500)
        .optional(),
      global_workspace_access: z.strictObject(access).nullish(),
      override_existing_workspace_access: z.boolean().optional(),
      create_default_provider: z.boolean().nullish(),
      default_provider_slug: slug.nullish(),
    }),
    answer: emptyObject,
  }),
} as const;
