/** Management operations: partials, which prompts include. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, MAX_VERSIONED_SLUG, name, paging, slug, uuid } from './shapes.ts';

const item = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  collection_id: uuid.nullable(),
  created_at: dateTime,
  last_updated_at: dateTime,
  status: z.literal('active'),
  object: z.literal('partial'),
});

const version = z.object({
  prompt_partial_id: uuid,
  prompt_partial_version_id: uuid,
  slug: z.string(),
  version: z.int(),
  string: z.string(),
  description: z.string().nullable(),
  created_at: dateTime,
  prompt_version_status: z.literal('active'),
  object: z.literal('partial'),
});

const made = z.object({ id: uuid, slug: z.string(), version_id: uuid });

const PATH = '/prompts/partials/{promptPartialId}';

export const promptPartials = {
  list: defineOperation({
    id: 'prompt_partials.list',
    method: 'GET',
    path: '/prompts/partials',
    summary: 'Lists the partials of a workspace, or of a collection.',
    scopes: ['prompts.list'],
    query: z.strictObject({
      ...paging,
      workspace_id: z.string().optional(),
      organisation_id: z.string().optional(),
      collection_id: z.string().optional(),
    }),
    answer: z.array(item),
  }),
  create: defineOperation({
    id: 'prompt_partials.create',
    method: 'POST',
    path: '/prompts/partials',
    summary: 'Makes a partial with its first version.',
    scopes: ['prompts.create'],
    body: z.strictObject({
      name,
      slug: slug.max(MAX_VERSIONED_SLUG).optional(),
      string: z.string(),
      version_description: z.string().nullish(),
      workspace_id: z.string().nullish(),
      organisation_id: z.string().nullish(),
      collection_id: z.string().nullish(),
    }),
    answer: made,
  }),
  get: defineOperation({
    id: 'prompt_partials.get',
    method: 'GET',
    path: PATH,
    summary: 'Reads a partial with its published version, or with another one.',
    scopes: ['prompts.read'],
    query: z.strictObject({ version: z.string().optional(), workspace_id: z.string().optional() }),
    answer: item.omit({ object: true }).extend({
      string: z.string(),
      version: z.int(),
      version_description: z.string().nullable(),
      prompt_partial_version_id: uuid,
      prompt_partial_version_status: z.literal('active'),
    }),
  }),
  update: defineOperation({
    id: 'prompt_partials.update',
    method: 'PUT',
    path: PATH,
    summary: 'Renames or moves a partial; with a text it gets a new version, which is not published.',
    scopes: ['prompts.update'],
    body: z.strictObject({
      name: name.optional(),
      collection_id: z.string().nullish(),
      string: z.string().optional(),
      description: z.string().nullish(),
      version_description: z.string().nullish(),
      status: z.literal('active').optional(),
    }),
    answer: z.object({ prompt_partial_version_id: uuid.optional() }),
  }),
  fork: defineOperation({
    id: 'prompt_partials.fork',
    method: 'POST',
    path: `${PATH}/fork`,
    summary: 'Copies a version of a partial into a workspace, as the first version of a new partial.',
    scopes: ['prompts.create'],
    body: z.strictObject({
      /** Where the copy goes; left out, it is beside the original. */
      workspace_id: z.string().nullish(),
      organisation_id: z.string().nullish(),
      collection_id: z.string().nullish(),
      name: name.optional(),
      slug: slug.max(MAX_VERSIONED_SLUG).optional(),
      /** A number, `latest` or `default`; left out, the published one. */
      version: z.union([z.int().min(1), z.string().min(1).max(253)]).optional(),
    }),
    answer: made,
  }),
  delete: defineOperation({
    id: 'prompt_partials.delete',
    method: 'DELETE',
    path: PATH,
    summary: 'Deletes a partial that no prompt includes, with its versions.',
    scopes: ['prompts.delete'],
    answer: emptyObject,
  }),
  listVersions: defineOperation({
    id: 'prompt_partials.list_versions',
    method: 'GET',
    path: `${PATH}/versions`,
    summary: 'Lists the versions of a partial, the newest first.',
    scopes: ['prompts.read'],
    query: z.strictObject({ ...paging, workspace_id: z.string().optional() }),
    answer: z.array(version),
  }),
  publish: defineOperation({
    id: 'prompt_partials.publish',
    method: 'PUT',
    path: `${PATH}/makeDefault`,
    summary: 'Publishes a version, by its number or its UUID: prompts that include the partial by its name have it.',
    scopes: ['prompts.publish'],
    body: z.strictObject({ version: z.union([z.int().min(1), z.string().min(1).max(64)]) }),
    answer: emptyObject,
  }),
} as const;
