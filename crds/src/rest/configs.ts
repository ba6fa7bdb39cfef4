/** Management operations: configs. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { anyObject, dateTime, emptyObject, name, paging, slug, uuid } from './shapes.ts';

const item = z.object({
  id: uuid,
  name: z.string(),
  slug: z.string(),
  organisation_id: uuid,
  workspace_id: uuid.nullable(),
  is_default: z.union([z.literal(0), z.literal(1)]),
  status: z.literal('active'),
  owner_id: z.null(),
  updated_by: z.null(),
  created_at: dateTime,
  last_updated_at: dateTime,
  object: z.literal('config'),
});

/** As an object, or as the text of one. */
const config = z.union([anyObject, z.string()]);

const written = z.object({ id: uuid, slug: z.string(), version_id: z.string(), object: z.literal('config') });
/** Some clients read the members at the root, others in `data`. */
const result = written.extend({ success: z.literal(true), data: written });

export const configs = {
  list: defineOperation({
    id: 'configs.list',
    method: 'GET',
    path: '/configs',
    summary: 'Lists the configs of a workspace.',
    scopes: ['configs.list'],
    query: z.strictObject({ ...paging, workspace_id: z.string().optional() }),
    answer: z.object({ success: z.literal(true), object: z.literal('list'), data: z.array(item), total: z.int() }),
  }),
  create: defineOperation({
    id: 'configs.create',
    method: 'POST',
    path: '/configs',
    summary: 'Makes a config; API keys in it go into a Secret.',
    scopes: ['configs.create'],
    body: z.strictObject({
      name,
      slug: slug.optional(),
      config,
      isDefault: z.literal(0, 'the defaults of the workspace name its config').optional(),
      workspace_id: z.string().nullish(),
    }),
    answer: result,
  }),
  get: defineOperation({
    id: 'configs.get',
    method: 'GET',
    path: '/configs/{slug}',
    summary: 'Reads a config: as a text, and in data as an object; API keys are masked.',
    scopes: ['configs.read'],
    answer: item.extend({
      config: z.string(),
      format: z.literal('json'),
      version_id: z.string(),
      success: z.literal(true),
      data: item.extend({ config: anyObject, version_id: z.string() }),
    }),
  }),
  update: defineOperation({
    id: 'configs.update',
    method: 'PUT',
    path: '/configs/{slug}',
    summary: 'Changes the name of a config, or replaces its content.',
    scopes: ['configs.update'],
    body: z.strictObject({
      name: name.optional(),
      config: config.optional(),
      status: z.literal('active').optional(),
    }),
    answer: result,
  }),
  delete: defineOperation({
    id: 'configs.delete',
    method: 'DELETE',
    path: '/configs/{slug}',
    summary: 'Deletes a config.',
    scopes: ['configs.delete'],
    answer: emptyObject,
  }),
  listVersions: defineOperation({
    id: 'configs.list_versions',
    method: 'GET',
    path: '/configs/{slug}/versions',
    summary: 'Lists the versions of a config that are kept, the current one first; API keys are masked.',
    scopes: ['configs.read'],
    query: z.strictObject({ ...paging, workspace_id: z.string().optional() }),
    answer: z.object({
      object: z.literal('list'),
      data: z.array(item.extend({ config: z.string(), format: z.literal('json'), version_id: z.string() })),
      total: z.int(),
    }),
  }),
} as const;
