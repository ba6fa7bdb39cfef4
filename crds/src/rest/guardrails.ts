/** Management operations: guardrails. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { anyObject, dateTime, name, paging, slug, uuid } from './shapes.ts';

/** Texts, or a JSON object of texts as a text. */
const feedback = z.strictObject({
  value: z.number(),
  weight: z.number().optional(),
  metadata: z.union([z.string(), z.record(z.string(), z.string())]).nullish(),
});

/** `block` and `deny` are short for `deny: true`, the other words for `deny: false`. */
const outcome = z.union([
  z.enum(['block', 'deny', 'log', 'warn', 'continue']),
  z.strictObject({ feedback: feedback.nullish(), deny: z.boolean().nullish() }),
]);

const flag = z.boolean().nullish();

const actions = z.strictObject({
  deny: flag,
  async: flag,
  sequential: flag,
  soft_deny_200: flag,
  mode: z.enum(['enforce', 'monitor']).nullish(),
  buffer: flag,
  window: z.number().nullish(),
  message: z.string().nullish(),
  on_success: outcome.nullish(),
  on_fail: outcome.nullish(),
  onSuccess: outcome.nullish(),
  onFail: outcome.nullish(),
});

const shownOutcome = z.object({
  feedback: z.object({ value: z.number(), weight: z.number(), metadata: z.string() }).optional(),
});

const shownActions = z.object({
  deny: z.boolean(),
  async: z.boolean(),
  sequential: z.boolean(),
  soft_deny_200: z.boolean(),
  mode: z.enum(['enforce', 'monitor']),
  buffer: z.boolean(),
  window: z.number().optional(),
  message: z.string().optional(),
  on_success: shownOutcome,
  on_fail: shownOutcome,
});

const check = z.strictObject({
  id: z.string(),
  name: z.string().nullish(),
  is_enabled: flag,
  soft_deny_200: flag,
  parameters: anyObject.nullish(),
});

const shownCheck = z.object({
  id: z.string(),
  name: z.string().optional(),
  is_enabled: z.boolean(),
  soft_deny_200: z.boolean().optional(),
  parameters: anyObject,
});

const type = z.enum(['guardrail', 'mutator']);

const item = z.object({
  id: uuid,
  name: z.string(),
  slug: z.string(),
  type,
  description: z.string().nullable(),
  organisation_id: uuid,
  workspace_id: uuid.nullable(),
  status: z.literal('active'),
  created_at: dateTime,
  last_updated_at: dateTime,
  owner_id: z.null(),
  updated_by: z.null(),
});

const result = z.object({ id: uuid, slug: z.string(), version_id: z.string() });

export const guardrails = {
  list: defineOperation({
    id: 'guardrails.list',
    method: 'GET',
    path: '/guardrails',
    summary: 'Lists the guardrails of a workspace, or of the organisation.',
    scopes: ['guardrails.list', 'organisation_guardrails.list'],
    query: z.strictObject({
      ...paging,
      workspace_id: z.string().optional(),
      organisation_id: uuid.optional(),
      ids: z.string().optional(),
    }),
    answer: z.object({ object: z.literal('list'), data: z.array(item), total: z.int() }),
  }),
  create: defineOperation({
    id: 'guardrails.create',
    method: 'POST',
    path: '/guardrails',
    summary: 'Makes a guardrail in a workspace, or with organisation_id alone in the organisation.',
    scopes: ['guardrails.create', 'organisation_guardrails.create'],
    body: z.strictObject({
      name,
      slug: slug.optional(),
      type: type.optional(),
      description: z.string().nullish(),
      workspace_id: z.string().nullish(),
      organisation_id: uuid.nullish(),
      checks: z.array(check).min(1),
      actions: actions.nullish(),
    }),
    answer: result,
  }),
  get: defineOperation({
    id: 'guardrails.get',
    method: 'GET',
    path: '/guardrails/{guardrailId}',
    summary: 'Reads a guardrail; credentials and parameters that may be secret are masked.',
    scopes: ['guardrails.read', 'organisation_guardrails.read'],
    answer: item.extend({ checks: z.array(shownCheck), actions: shownActions }),
  }),
  update: defineOperation({
    id: 'guardrails.update',
    method: 'PUT',
    path: '/guardrails/{guardrailId}',
    summary: 'Changes the given members of a guardrail, and those of its actions.',
    scopes: ['guardrails.update', 'organisation_guardrails.update'],
    body: z.strictObject({
      name: name.optional(),
      type: type.optional(),
      description: z.string().nullish(),
      checks: z.array(check).min(1).optional(),
      actions: actions.nullish(),
    }),
    answer: result,
  }),
  delete: defineOperation({
    id: 'guardrails.delete',
    method: 'DELETE',
    path: '/guardrails/{guardrailId}',
    summary: 'Deletes a guardrail.',
    scopes: ['guardrails.delete', 'organisation_guardrails.delete'],
  }),
} as const;
