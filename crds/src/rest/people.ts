/** Management operations: people of the organisation, invitations, and members of workspaces. */
import { z } from 'zod';
import { ORGANISATION_ROLES, WORKSPACE_ROLES } from '../kinds/roles.ts';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, name, paging, uuid } from './shapes.ts';

const email = z.email().max(254);
const orgRole = z.enum(['admin', 'member']);
const role = z.enum(WORKSPACE_ROLES);

const user = z.object({
  object: z.literal('user'),
  id: uuid,
  first_name: z.string(),
  last_name: z.string(),
  role: z.enum(ORGANISATION_ROLES),
  email: z.string(),
  created_at: dateTime,
  last_updated_at: dateTime,
  workspace_ids: z.array(z.string()),
});

export const users = {
  list: defineOperation({
    id: 'users.list',
    method: 'GET',
    path: '/admin/users',
    summary: 'Lists the people of the organisation.',
    scopes: ['organisation_users.list'],
    query: z.strictObject({ ...paging, role: z.enum(ORGANISATION_ROLES).optional(), email: z.string().optional() }),
    answer: z.object({ object: z.literal('list'), data: z.array(user), total: z.int() }),
  }),
  get: defineOperation({
    id: 'users.get',
    method: 'GET',
    path: '/admin/users/{userId}',
    summary: 'Reads a person.',
    scopes: ['organisation_users.read'],
    answer: user,
  }),
  update: defineOperation({
    id: 'users.update',
    method: 'PUT',
    path: '/admin/users/{userId}',
    summary: 'Gives a person another role in the organisation.',
    scopes: ['organisation_users.update'],
    body: z.strictObject({ role: orgRole }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'users.delete',
    method: 'DELETE',
    path: '/admin/users/{userId}',
    summary: 'Removes a person from the organisation, with all memberships and keys.',
    scopes: ['organisation_users.delete'],
    answer: emptyObject,
  }),
} as const;

const INVITE_STATES = ['pending', 'accepted', 'cancelled', 'expired'] as const;
const invite = z.object({
  object: z.literal('invite'),
  id: uuid,
  email: z.string(),
  role: orgRole,
  created_at: dateTime,
  expires_at: dateTime,
  accepted_at: dateTime.nullable(),
  status: z.enum(INVITE_STATES),
  invited_by: z.string(),
  workspaces: z.array(z.object({ workspace_id: z.string(), role })),
});

export const invites = {
  list: defineOperation({
    id: 'user_invites.list',
    method: 'GET',
    path: '/admin/users/invites',
    summary: 'Lists invitations.',
    scopes: ['organisation_users.list'],
    query: z.strictObject({
      ...paging,
      role: orgRole.optional(),
      email: z.string().optional(),
      status: z.enum(INVITE_STATES).optional(),
    }),
    answer: z.object({ object: z.literal('list'), data: z.array(invite), total: z.int() }),
  }),
  create: defineOperation({
    id: 'user_invites.create',
    method: 'POST',
    path: '/admin/users/invites',
    summary: 'Invites a person; only this answer has the link.',
    scopes: ['organisation_users.create'],
    body: z.strictObject({
      email,
      role: orgRole,
      workspaces: z.array(z.strictObject({ id: z.string(), role })).max(500),
      workspace_api_key_details: z.strictObject({ scopes: z.array(z.string()).min(1).max(200) }).nullish(),
    }),
    answer: z.object({ id: uuid, invite_link: z.string() }),
  }),
  accept: defineOperation({
    id: 'user_invites.accept',
    method: 'POST',
    path: '/admin/users/invites/accept',
    summary: 'Accepts an invitation with the token of its link; keys of the person are in this answer only.',
    scopes: [],
    isPublic: true,
    body: z.strictObject({ token: z.string().max(200), first_name: name.optional(), last_name: name.optional() }),
    answer: z.object({
      id: uuid,
      email: z.string(),
      keys: z.array(z.object({ workspace_id: z.string(), key: z.string() })),
    }),
  }),
  get: defineOperation({
    id: 'user_invites.get',
    method: 'GET',
    path: '/admin/users/invites/{inviteId}',
    summary: 'Reads an invitation.',
    scopes: ['organisation_users.read'],
    answer: invite,
  }),
  delete: defineOperation({
    id: 'user_invites.delete',
    method: 'DELETE',
    path: '/admin/users/invites/{inviteId}',
    summary: 'Cancels an invitation.',
    scopes: ['organisation_users.delete'],
    answer: emptyObject,
  }),
  resend: defineOperation({
    id: 'user_invites.resend',
    method: 'POST',
    path: '/admin/users/invites/{inviteId}/resend',
    summary: 'Makes a new link, which ends the one before.',
    scopes: ['organisation_users.create'],
    answer: z.object({ inviteLink: z.string() }),
  }),
} as const;

const member = z.object({
  object: z.literal('workspace-user'),
  id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  org_role: z.enum(ORGANISATION_ROLES),
  role,
  created_at: dateTime,
  last_updated_at: dateTime,
  status: z.literal('active'),
  workspace_id: uuid,
  email: z.string(),
  scopes: z.array(z.string()),
});

const MEMBERS = '/admin/workspaces/{workspaceId}/users';
export const members = {
  list: defineOperation({
    id: 'workspace_members.list',
    method: 'GET',
    path: MEMBERS,
    summary: 'Lists the members of a workspace.',
    scopes: ['workspace_users.list'],
    query: z.strictObject({ ...paging, role: role.optional(), email: z.string().optional() }),
    answer: z.object({ object: z.literal('list'), data: z.array(member), total: z.int() }),
  }),
  add: defineOperation({
    id: 'workspace_members.add',
    method: 'POST',
    path: MEMBERS,
    summary: 'Makes people members of a workspace: all of them, or none.',
    scopes: ['workspace_users.create'],
    body: z.strictObject({
      users: z
        .array(z.strictObject({ id: z.string().min(1).max(255), role }))
        .min(1)
        .max(100),
    }),
    answer: emptyObject,
  }),
  get: defineOperation({
    id: 'workspace_members.get',
    method: 'GET',
    path: `${MEMBERS}/{userId}`,
    summary: 'Reads a member of a workspace.',
    scopes: ['workspace_users.read'],
    answer: member,
  }),
  update: defineOperation({
    id: 'workspace_members.update',
    method: 'PUT',
    path: `${MEMBERS}/{userId}`,
    summary: 'Gives a member another role in the workspace.',
    scopes: ['workspace_users.update'],
    body: z.strictObject({ role }),
    answer: emptyObject,
  }),
  remove: defineOperation({
    id: 'workspace_members.remove',
    method: 'DELETE',
    path: `${MEMBERS}/{userId}`,
    summary: 'Ends a membership, with the keys of the person in the workspace.',
    scopes: ['workspace_users.delete'],
    answer: emptyObject,
  }),
} as const;
