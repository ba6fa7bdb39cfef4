/** Management operations: references to secrets in secret managers. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, paging, slug, uuid } from './shapes.ts';

const MANAGER_TYPES = ['aws_sm', 'azure_kv', 'hashicorp_vault'] as const;
const managerType = z.enum(MANAGER_TYPES);
const text = z.string().min(1).max(65_536);

const mask = z.string().max(64).optional();

/** Members by manager and way to log in: docs/behaviour/management.md#secret-references. */
const authConfig = z.strictObject({
  aws_auth_type: z.enum(['accessKey', 'assumedRole', 'serviceRole']).optional(),
  aws_access_key_id: text.optional(),
  aws_secret_access_key: text.optional(),
  aws_role_arn: text.nullish(),
  aws_external_id: text.nullish(),
  aws_region: text.optional(),
  azure_auth_mode: z.enum(['entra', 'managed', 'default']).optional(),
  azure_entra_tenant_id: text.optional(),
  azure_entra_client_id: text.optional(),
  azure_entra_client_secret: text.optional(),
  azure_vault_url: text.optional(),
  vault_auth_type: z.enum(['token', 'approle', 'kubernetes']).optional(),
  vault_addr: text.optional(),
  vault_token: text.optional(),
  vault_role: text.optional(),
  vault_role_id: text.optional(),
  vault_secret_id: text.optional(),
  vault_namespace: text.nullish(),
  // Answers have these; what comes back of them changes nothing.
  masked_aws_access_key_id: mask,
  masked_aws_secret_access_key: mask,
  masked_azure_entra_client_secret: mask,
  masked_vault_token: mask,
  masked_vault_role_id: mask,
  masked_vault_secret_id: mask,
});

const allowedWorkspaces = z.array(z.string().min(1).max(253)).min(1).max(500);
const tags = z.record(z.string(), z.string()).nullish();
const displayName = z.string().min(1).max(255);
const fields = {
  description: z.string().max(1024).nullish(),
  secret_key: z.string().max(253).nullish(),
  allow_all_workspaces: z.boolean().optional(),
  allowed_workspaces: allowedWorkspaces.optional(),
  tags,
};

/** References to secrets of other managers are declared as resources, and shown. */
const shownType = z.enum([...MANAGER_TYPES, 'gcp_sm', 'kubernetes']);
const item = z.object({
  object: z.literal('secret-reference'),
  id: uuid,
  slug: z.string(),
  name: z.string(),
  manager_type: shownType,
  status: z.literal('ACTIVE'),
  created_at: dateTime,
  last_updated_at: dateTime,
});

const PATH = '/secret-references/{secretReferenceId}';

export const secretReferences = {
  list: defineOperation({
    id: 'secret_references.list',
    method: 'GET',
    path: '/secret-references',
    summary: 'Lists the secret references of the organisation.',
    scopes: ['secret_references.list'],
    query: z.strictObject({
      ...paging,
      manager_type: shownType.optional(),
      search: z.string().min(1).max(255).optional(),
      tags: z.string().max(4096).optional(),
    }),
    answer: z.object({ object: z.literal('list'), total: z.int(), data: z.array(item) }),
  }),
  create: defineOperation({
    id: 'secret_references.create',
    method: 'POST',
    path: '/secret-references',
    summary: 'Makes a secret reference of the organisation; its credentials go into a Secret.',
    scopes: ['secret_references.create'],
    body: z.strictObject({
      ...fields,
      organisation_id: z.string().optional(),
      name: displayName,
      slug: slug.optional(),
      manager_type: managerType,
      auth_config: authConfig,
      secret_path: z.string().min(1).max(1024),
    }),
    answer: z.object({ id: uuid, slug: z.string(), object: z.literal('secret-reference') }),
  }),
  get: defineOperation({
    id: 'secret_references.get',
    method: 'GET',
    path: PATH,
    summary: 'Reads a secret reference; its credentials are masked.',
    scopes: ['secret_references.read'],
    answer: item.extend({
      organisation_id: uuid,
      description: z.string().nullable(),
      secret_path: z.string(),
      secret_key: z.string().nullable(),
      allow_all_workspaces: z.boolean(),
      allowed_workspaces: z.array(z.string()),
      tags: z.record(z.string(), z.string()).nullable(),
      auth_config: z.record(z.string(), z.string()),
    }),
  }),
  update: defineOperation({
    id: 'secret_references.update',
    method: 'PUT',
    path: PATH,
    summary: 'Changes the given members of a secret reference; its auth_config is merged.',
    scopes: ['secret_references.update'],
    body: z.strictObject({
      ...fields,
      name: displayName.optional(),
      manager_type: z.string().optional(),
      auth_config: authConfig.optional(),
      secret_path: z.string().min(1).max(1024).optional(),
    }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'secret_references.delete',
    method: 'DELETE',
    path: PATH,
    summary: 'Deletes a secret reference that nothing uses, and its Secret.',
    scopes: ['secret_references.delete'],
    answer: emptyObject,
  }),
} as const;
