/** Management operations: labels of versions of prompts. */
import { z } from 'zod';
import { isLabelName } from '../prompts/index.ts';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, paging, slug, uuid } from './shapes.ts';

const labelName = z
  .string()
  .min(1)
  .max(64)
  .refine(isLabelName, 'expected up to 64 letters, digits, _ and -, not digits alone, and neither latest nor default');

const shown = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  color_code: z.string().nullable(),
  organisation_id: uuid,
  workspace_id: uuid.nullable(),
  is_universal: z.boolean(),
  /** Null for those that every workspace has. */
  created_at: dateTime.nullable(),
  last_updated_at: dateTime.nullable(),
  status: z.literal('active'),
});

const home = { workspace_id: z.string().optional(), organisation_id: z.string().optional() };
const PATH = '/labels/{labelId}';

export const promptLabels = {
  list: defineOperation({
    id: 'labels.list',
    method: 'GET',
    path: '/labels',
    summary: 'Lists the labels for versions of prompts, those that every workspace has first.',
    scopes: ['prompts.list'],
    query: z.strictObject({ ...paging, ...home, search: z.string().optional() }),
    answer: z.object({ object: z.literal('list'), total: z.int(), data: z.array(shown) }),
  }),
  create: defineOperation({
    id: 'labels.create',
    method: 'POST',
    path: '/labels',
    summary: 'Makes a label.',
    scopes: ['prompts.create'],
    body: z.strictObject({
      name: labelName,
      slug: slug.optional(),
      description: z.string().nullish(),
      color_code: z.string().nullish(),
      workspace_id: z.string().nullish(),
      organisation_id: z.string().nullish(),
    }),
    answer: z.object({ id: uuid, slug: z.string() }),
  }),
  get: defineOperation({
    id: 'labels.get',
    method: 'GET',
    path: PATH,
    summary: 'Reads a label.',
    scopes: ['prompts.read'],
    query: z.strictObject(home),
    answer: shown,
  }),
  update: defineOperation({
    id: 'labels.update',
    method: 'PUT',
    path: PATH,
    summary: 'Changes the given members of a label.',
    scopes: ['prompts.update'],
    body: z.strictObject({
      name: labelName.optional(),
      description: z.string().nullish(),
      color_code: z.string().nullish(),
    }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'labels.delete',
    method: 'DELETE',
    path: PATH,
    summary: 'Deletes a label that no prompt uses.',
    scopes: ['prompts.delete'],
    answer: emptyObject,
  }),
} as const;
