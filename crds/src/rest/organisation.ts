/** Management operations: what holds for all workspaces. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { emptyObject, uuid } from './shapes.ts';

const named = z.array(z.object({ id: uuid, slug: z.string() }));
const exclusion = z.object({ workspace_id: z.string(), slug: z.string(), excluded: z.boolean() });

export const organisation = {
  getDefaults: defineOperation({
    id: 'organisation.get_defaults',
    method: 'GET',
    path: '/admin/organisation/defaults',
    summary: 'Reads the guardrails of all workspaces.',
    scopes: ['organisation_settings.read'],
    answer: z.object({ input_guardrails: named, output_guardrails: named }),
  }),
  setDefaults: defineOperation({
    id: 'organisation.set_defaults',
    method: 'PUT',
    path: '/admin/organisation/defaults',
    summary: 'Changes the given lists of guardrails of all workspaces.',
    scopes: ['organisation_settings.update'],
    body: z.strictObject({
      input_guardrails: z.array(z.string()).nullish(),
      output_guardrails: z.array(z.string()).nullish(),
    }),
    answer: emptyObject,
  }),
  getExclusions: defineOperation({
    id: 'organisation.get_guardrail_exclusions',
    method: 'GET',
    path: '/workspace-exclusions/{direction}',
    summary: 'Lists the workspaces that are exempt from the guardrails of the organisation.',
    scopes: ['organisation_exclusions.list'],
    answer: z.object({ object: z.literal('list'), total: z.int(), workspaces: z.array(exclusion) }),
  }),
  setExclusions: defineOperation({
    id: 'organisation.set_guardrail_exclusions',
    method: 'PUT',
    path: '/workspace-exclusions/{direction}',
    summary: 'Exempts workspaces from the guardrails of the organisation, or ends that.',
    scopes: ['organisation_exclusions.update'],
    body: z.strictObject({
      organisation_id: uuid.nullish(),
      workspaces: z.array(z.strictObject({ workspace_id: z.string(), excluded: z.boolean() })).max(500),
      override_existing: z.boolean().optional(),
    }),
    answer: emptyObject,
  }),
} as const;

export const reference = {
  listProviders: defineOperation({
    id: 'model_pricing.list_providers',
    method: 'GET',
    path: '/reference/providers',
    summary: 'Lists the providers of models, with the fields that their accounts have.',
    scopes: [],
    answer: z.object({
      object: z.literal('list'),
      total: z.int(),
      data: z.array(
        z.object({
          object: z.literal('provider'),
          id: z.string(),
          fields: z.array(z.object({ name: z.string(), secret: z.boolean() })),
        }),
      ),
    }),
  }),
} as const;
