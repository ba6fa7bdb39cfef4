/** Management operations: prompts and their versions. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { anyObject, dateTime, emptyObject, MAX_VERSIONED_SLUG, name, paging, slug, uuid } from './shapes.ts';

/** Names of versions are made of it; `partials` is a path. */
const promptSlug = slug
  .max(MAX_VERSIONED_SLUG)
  .refine((text) => text !== 'partials', 'the partials are at this path; choose another slug');

/** What a version consists of. */
const content = {
  /** The JSON text of the messages of a chat, or the text of a completion. */
  string: z.string(),
  /** Members of the request; `variables` are values of variables that a call leaves out. */
  parameters: anyObject,
  model: z.string().max(256).nullish(),
  /** Slug of a virtual key or a provider. */
  virtual_key: z.string().max(254).nullish(),
  functions: z.array(anyObject).nullish(),
  tools: z.array(anyObject).nullish(),
  tool_choice: z.union([anyObject, z.string()]).nullish(),
  template_metadata: anyObject.nullish(),
  is_raw_template: z.union([z.literal([0, 1]), z.boolean()]).optional(),
};

const item = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  collection_id: uuid.nullable(),
  /** Of the published version. */
  model: z.string().nullable(),
  status: z.literal('active'),
  created_at: dateTime,
  last_updated_at: dateTime,
  object: z.literal('prompt'),
});

const shownContent = z.object({
  string: z.string(),
  parameters: anyObject,
  model: z.string().nullable(),
  virtual_key: z.string().nullable(),
  functions: z.array(anyObject).nullable(),
  tools: z.array(anyObject).nullable(),
  tool_choice: z.union([anyObject, z.string()]).nullable(),
  template_metadata: anyObject,
  is_raw_template: z.boolean(),
});

const record = item.omit({ object: true }).extend({
  ...shownContent.shape,
  prompt_version: z.int(),
  prompt_version_id: uuid,
  prompt_version_status: z.literal('active'),
  prompt_version_description: z.string().nullable(),
  prompt_version_label_id: uuid.nullable(),
});

const version = z.object({
  id: uuid,
  prompt_id: uuid,
  prompt_template: shownContent,
  prompt_version: z.int(),
  prompt_description: z.string().nullable(),
  label_id: uuid.nullable(),
  created_at: dateTime,
  status: z.literal('active'),
  object: z.literal('prompt'),
});

const made = z.object({ id: uuid, slug: z.string(), version_id: uuid, object: z.literal('prompt') });

const PATH = '/prompts/{promptId}';
const workspace = { workspace_id: z.string().optional() };

export const prompts = {
  list: defineOperation({
    id: 'prompts.list',
    method: 'GET',
    path: '/prompts',
    summary: 'Lists the prompts of a workspace, or of a collection.',
    scopes: ['prompts.list'],
    query: z.strictObject({
      ...paging,
      ...workspace,
      organisation_id: z.string().optional(),
      collection_id: z.string().optional(),
      search: z.string().optional(),
    }),
    answer: z.object({ object: z.literal('list'), total: z.int(), data: z.array(item) }),
  }),
  create: defineOperation({
    id: 'prompts.create',
    method: 'POST',
    path: '/prompts',
    summary: 'Makes a prompt with its first version, which is published.',
    scopes: ['prompts.create'],
    body: z.strictObject({
      ...content,
      name,
      slug: promptSlug.optional(),
      parameters: anyObject.nullish(),
      collection_id: z.string().nullish(),
      version_description: z.string().nullish(),
      workspace_id: z.string().nullish(),
      organisation_id: z.string().nullish(),
    }),
    answer: made,
  }),
  get: defineOperation({
    id: 'prompts.get',
    method: 'GET',
    path: PATH,
    summary: 'Reads a prompt with its published version, or with another one.',
    scopes: ['prompts.read'],
    query: z.strictObject({ ...workspace, version: z.string().optional() }),
    answer: record,
  }),
  update: defineOperation({
    id: 'prompts.update',
    method: 'PUT',
    path: PATH,
    summary: 'Renames or moves a prompt; with members of a version it gets a new one, which is not published.',
    scopes: ['prompts.update'],
    body: z
      .strictObject({
        ...content,
        prompt_metadata: anyObject.nullish(),
        version_description: z.string().nullish(),
        name,
        collection_id: z.string().nullish(),
        /** What is left out comes from the newest version. */
        patch: z.boolean(),
      })
      .partial(),
    answer: z.object({ id: uuid.optional(), slug: z.string().optional(), prompt_version_id: uuid.optional() }),
  }),
  fork: defineOperation({
    id: 'prompts.fork',
    method: 'POST',
    path: `${PATH}/fork`,
    summary: 'Copies a version of a prompt into a workspace, as the first version of a new prompt.',
    scopes: ['prompts.create'],
    body: z.strictObject({
      /** Where the copy goes; left out, it is beside the original. */
      workspace_id: z.string().nullish(),
      organisation_id: z.string().nullish(),
      collection_id: z.string().nullish(),
      name: name.optional(),
      slug: promptSlug.optional(),
      /** A number, `latest` or a label; left out, the published one. */
      version: z.union([z.int().min(1), z.string().min(1).max(253)]).optional(),
    }),
    answer: made,
  }),
  delete: defineOperation({
    id: 'prompts.delete',
    method: 'DELETE',
    path: PATH,
    summary: 'Deletes a prompt that no config names, with its versions.',
    scopes: ['prompts.delete'],
    answer: emptyObject,
  }),
  listVersions: defineOperation({
    id: 'prompts.list_versions',
    method: 'GET',
    path: `${PATH}/versions`,
    summary: 'Lists the versions of a prompt, the newest first.',
    scopes: ['prompts.read'],
    query: z.strictObject({ ...paging, ...workspace }),
    answer: z.array(version),
  }),
  getVersion: defineOperation({
    id: 'prompts.get_version',
    method: 'GET',
    path: `${PATH}/versions/{versionId}`,
    summary: 'Reads a prompt with one of its versions, by UUID or number.',
    scopes: ['prompts.read'],
    answer: record,
  }),
  labelVersion: defineOperation({
    id: 'prompts.label_version',
    method: 'PUT',
    path: `${PATH}/versions/{versionId}`,
    summary: 'Gives a label to a version, which takes it from others; null takes all labels from the version.',
    scopes: ['prompts.update'],
    /** UUID or name. */
    body: z.strictObject({ label_id: z.string().min(1).max(253).nullish() }),
    answer: emptyObject,
  }),
  publish: defineOperation({
    id: 'prompts.publish',
    method: 'PUT',
    path: `${PATH}/makeDefault`,
    summary: 'Publishes a version, by its number or its UUID.',
    scopes: ['prompts.publish'],
    body: z.strictObject({ version: z.union([z.int().min(1), z.string().min(1).max(64)]) }),
    answer: emptyObject,
  }),
} as const;
