/** Management operations: groups of the directory, what they are mapped to, and the token of the directory. */
import { z } from 'zod';
import { isReservedGroup } from '../kinds/reserved-groups.ts';
import { WORKSPACE_ROLES } from '../kinds/roles.ts';
import { defineOperation } from './operation.ts';
import { dateTime, name, paging, queryInt, uuid } from './shapes.ts';

/** Case makes no difference. */
const role = z.string().toLowerCase().pipe(z.enum(WORKSPACE_ROLES));

/** Clients of the reference send `page`, and those of other lists what these have. */
const page = { ...paging, page: queryInt.optional() };

const mapping = z.object({
  id: uuid,
  workspace_id: uuid,
  scim_group: z.string(),
  role: z.enum(WORKSPACE_ROLES),
  /** Empty while a name of a resource is not known to the directory. */
  scim_group_id: z.string(),
});

const MAPPINGS = '/scim/workspaces';

export const scimMappings = {
  list: defineOperation({
    id: 'scim_workspace_mappings.list',
    method: 'GET',
    path: MAPPINGS,
    summary: 'Lists the groups that are mapped to workspaces, one entry for each pair.',
    scopes: ['organisation_users.list'],
    query: z.strictObject({
      ...page,
      workspace_id: z.string().optional(),
      scim_group_id: z.string().optional(),
      role: role.optional(),
    }),
    answer: z.object({ mappings: z.array(mapping), total_count: z.int() }),
  }),
  create: defineOperation({
    id: 'scim_workspace_mappings.create',
    method: 'POST',
    path: MAPPINGS,
    summary: 'Maps a group to a workspace with a role; the same mapping is made once.',
    scopes: ['organisation_users.create'],
    body: z
      .strictObject({
        workspace_id: z.string(),
        role,
        scim_group_id: uuid.optional(),
        scim_group_name: name
          .min(1)
          .refine((text) => !isReservedGroup(text), 'names like ws-WORKSPACE-role-ROLE are reserved')
          .optional(),
      })
      .refine((body) => (body.scim_group_id === undefined) !== (body.scim_group_name === undefined), {
        error: 'exactly one of scim_group_id and scim_group_name is needed',
        path: ['scim_group_id'],
      }),
    answer: mapping,
  }),
  delete: defineOperation({
    id: 'scim_workspace_mappings.delete',
    method: 'DELETE',
    path: `${MAPPINGS}/{scimWorkspaceGroupId}`,
    summary: 'Ends a mapping; its people stay members as if somebody had added them, unless remove_members is true.',
    scopes: ['organisation_users.delete'],
    query: z.strictObject({ remove_members: z.enum(['true', 'false']).optional() }),
    answer: z.object({ success: z.boolean() }),
  }),
} as const;

export const scimGroups = {
  list: defineOperation({
    id: 'scim.list_groups',
    method: 'GET',
    path: '/scim/groups',
    summary: 'Lists the groups of the directory, and those that mappings have named.',
    scopes: ['organisation_users.list'],
    query: z.strictObject({ ...page, search: z.string().max(255).optional() }),
    answer: z.object({
      object: z.literal('list'),
      total: z.int(),
      data: z.array(
        z.object({
          object: z.literal('scim_group'),
          id: uuid,
          name: z.string(),
          external_id: z.string().nullable(),
          /** False: the directory has not sent it. */
          provisioned: z.boolean(),
          member_count: z.int(),
          created_at: dateTime,
          last_updated_at: dateTime,
        }),
      ),
    }),
  }),
} as const;

const TOKEN = '/scim/token';
const tokenObject = z.literal('scim_token');

export const scimToken = {
  get: defineOperation({
    id: 'scim_token.get',
    method: 'GET',
    path: TOKEN,
    summary: 'Says when the token of the directory was made, and by which key.',
    scopes: ['organisation_settings.read'],
    answer: z.object({ object: tokenObject, created_at: dateTime, created_by: z.string() }),
  }),
  create: defineOperation({
    id: 'scim_token.create',
    method: 'POST',
    path: TOKEN,
    summary: 'Makes the token of the directory, which is in this answer only; it ends the one before.',
    scopes: ['organisation_settings.update'],
    answer: z.object({ object: tokenObject, token: z.string(), created_at: dateTime }),
  }),
  delete: defineOperation({
    id: 'scim_token.delete',
    method: 'DELETE',
    path: TOKEN,
    summary: 'Ends the token of the directory.',
    scopes: ['organisation_settings.update'],
    answer: z.object({ success: z.boolean() }),
  }),
} as const;
