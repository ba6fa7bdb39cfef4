/** Management operations: collections of prompts. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, name, paging, slug, uuid } from './shapes.ts';

const stats = z.object({
  child_collections_count: z.int(),
  prompts_count: z.int(),
  child_collections_last_updated_at: dateTime.nullable(),
  prompts_last_updated_at: dateTime.nullable(),
});

const item = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  /** Null: the organisation has it. */
  workspace_id: uuid.nullable(),
  parent_collection_id: uuid.nullable(),
  is_default: z.literal([0, 1]),
  status: z.literal('active'),
  /** Null for the default one, which is no object. */
  created_at: dateTime.nullable(),
  last_updated_at: dateTime.nullable(),
});

const child = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  last_updated_at: dateTime.nullable(),
  collection_details: stats,
});

const PATH = '/collections/{collectionId}';

export const promptCollections = {
  list: defineOperation({
    id: 'collections.list',
    method: 'GET',
    path: '/collections',
    summary: 'Lists the collections of prompts of a workspace, the default one first.',
    scopes: ['prompts.list'],
    query: z.strictObject({
      ...paging,
      workspace_id: z.string().optional(),
      organisation_id: z.string().optional(),
      search: z.string().optional(),
    }),
    answer: z.object({
      object: z.literal('list'),
      total: z.int(),
      data: z.array(item.extend({ collection_details: stats })),
    }),
  }),
  create: defineOperation({
    id: 'collections.create',
    method: 'POST',
    path: '/collections',
    summary: 'Makes a collection of prompts.',
    scopes: ['prompts.create'],
    body: z.strictObject({
      name,
      slug: slug.optional(),
      workspace_id: z.string().nullish(),
      organisation_id: z.string().nullish(),
      /** Slug or UUID. */
      parent_collection_id: z.string().nullish(),
    }),
    answer: z.object({ id: uuid, slug: z.string() }),
  }),
  get: defineOperation({
    id: 'collections.get',
    method: 'GET',
    path: PATH,
    summary: 'Reads a collection with those that are directly in it.',
    scopes: ['prompts.read'],
    answer: item.extend({ child_collections: z.array(child) }),
  }),
  update: defineOperation({
    id: 'collections.update',
    method: 'PUT',
    path: PATH,
    summary: 'Renames a collection; the default one has no other name.',
    scopes: ['prompts.update'],
    body: z.strictObject({ name }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'collections.delete',
    method: 'DELETE',
    path: PATH,
    summary: 'Deletes an empty collection.',
    scopes: ['prompts.delete'],
    answer: emptyObject,
  }),
} as const;
