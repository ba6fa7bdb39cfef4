/** Management operations: servers of the Model Context Protocol, and the workspaces that have them. */
import { z } from 'zod';
import {
  capabilitiesBody,
  capabilityCounts,
  capabilityQuery,
  metadata,
  shownCapability,
  success,
  testResult,
} from './mcp-shapes.ts';
import { defineOperation } from './operation.ts';
import { anyObject, dateTime, emptyObject, name, paging, slug, uuid } from './shapes.ts';

const type = z.enum(['organisation', 'workspace']);
const authType = z.enum(['none', 'headers', 'oauth_auto']);
const transport = z.enum(['http', 'sse']);
const url = z.url({ protocol: /^https?$/ }).max(1024);

/** Values are credentials: they go into a Secret and are shown as masks. */
const headers = z.record(z.string().min(1).max(256), z.string().max(8192).nullable()).nullish();
const headerNames = z.array(z.string().min(1).max(256)).max(64);

const configurations = z
  .strictObject({
    custom_headers: headers,
    /** The same in another spelling. */
    headers,
    forward_headers: z
      .union([headerNames, z.strictObject({ mode: z.enum(['allowlist', 'all-except']), headers: headerNames })])
      .nullish(),
  })
  .nullish();

const fields = {
  description: z.string().max(1024).nullish(),
  configurations,
  /** Values of headers are in a Secret: none comes from a secret reference. */
  secret_mappings: z.array(z.unknown()).max(0, 'values of headers are taken from no secret reference').nullish(),
};

const item = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type,
  status: z.literal('active'),
  owner_id: z.null(),
  workspace_id: uuid.nullable(),
  url: z.string(),
  auth_type: authType,
  transport,
  configurations: anyObject,
  workspaces_count: z.int(),
  secret_mappings: z.array(z.never()),
  created_at: dateTime,
  last_updated_at: dateTime,
});

const globalAccess = z.object({ enabled: z.boolean() }).nullable();

const grant = z.object({
  id: z.string(),
  enabled: z.boolean(),
  status: z.literal('active'),
  created_at: dateTime,
  last_updated_at: dateTime,
});

const PATH = '/mcp-integrations/{mcpIntegrationId}';
const scopes = (action: string) => [`organisation_mcp_integrations.${action}`, `workspace_mcp_integrations.${action}`];

export const mcpIntegrations = {
  list: defineOperation({
    id: 'mcp_integrations.list',
    method: 'GET',
    path: '/mcp-integrations',
    summary: 'Lists the MCP integrations of a workspace and those that are granted to it, or all of them.',
    scopes: scopes('list'),
    query: z.strictObject({
      ...paging,
      workspace_id: z.string().optional(),
      organisation_id: z.string().optional(),
      type: z.enum(['workspace', 'organisation', 'all']).optional(),
      search: z.string().optional(),
    }),
    answer: z.object({ object: z.literal('list'), data: z.array(item), total: z.int(), has_more: z.boolean() }),
  }),
  create: defineOperation({
    id: 'mcp_integrations.create',
    method: 'POST',
    path: '/mcp-integrations',
    summary: 'Makes an MCP integration in a workspace, or one of the organisation; values of headers go into a Secret.',
    scopes: scopes('create'),
    body: z.strictObject({
      ...fields,
      name,
      slug: slug.optional(),
      url,
      auth_type: authType,
      transport,
      workspace_id: z.string().nullish(),
      organisation_id: z.string().nullish(),
    }),
    answer: z.object({ id: uuid, slug: z.string() }),
  }),
  get: defineOperation({
    id: 'mcp_integrations.get',
    method: 'GET',
    path: PATH,
    summary: 'Reads an MCP integration; values of headers are masked.',
    scopes: scopes('read'),
    answer: item.extend({ global_workspace_access: globalAccess }),
  }),
  update: defineOperation({
    id: 'mcp_integrations.update',
    method: 'PUT',
    path: PATH,
    summary: 'Changes the given members of an MCP integration; a new address needs the values of headers, too.',
    scopes: scopes('update'),
    body: z.strictObject({
      ...fields,
      name: name.optional(),
      url: url.optional(),
      auth_type: authType.optional(),
      transport: transport.optional(),
    }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'mcp_integrations.delete',
    method: 'DELETE',
    path: PATH,
    summary: 'Deletes an MCP integration that no server uses, and its Secret.',
    scopes: scopes('delete'),
    answer: emptyObject,
  }),
  listWorkspaces: defineOperation({
    id: 'mcp_integrations.list_workspaces',
    method: 'GET',
    path: `${PATH}/workspaces`,
    summary: 'Lists the workspaces that an MCP integration of the organisation is granted to.',
    scopes: scopes('read'),
    /** Without a version the list is called `workspaces`. */
    query: z.strictObject({ version: z.string().optional() }),
    answer: z.object({
      data: z.array(grant).optional(),
      total: z.int().optional(),
      workspaces: z.array(grant).optional(),
      global_workspace_access: globalAccess,
    }),
  }),
  writeWorkspaces: defineOperation({
    id: 'mcp_integrations.write_workspaces',
    method: 'PUT',
    path: `${PATH}/workspaces`,
    summary: 'Grants an MCP integration of the organisation to workspaces, or takes it away.',
    scopes: ['organisation_mcp_integrations.update'],
    body: z.strictObject({
      workspaces: z.array(z.strictObject({ id: z.string(), enabled: z.boolean() })).max(500),
      global_workspace_access: z.strictObject({ enabled: z.boolean() }).nullish(),
      override_existing_workspace_access: z.boolean().optional(),
    }),
    answer: emptyObject,
  }),
  listCapabilities: defineOperation({
    id: 'mcp_integrations.list_capabilities',
    method: 'GET',
    path: `${PATH}/capabilities`,
    summary: 'Lists the switches of the capabilities of an MCP integration.',
    scopes: scopes('read'),
    query: capabilityQuery,
    answer: z.object({
      data: z.array(shownCapability.extend({ created_at: dateTime, last_updated_at: dateTime })),
      counts: capabilityCounts,
      total: z.int(),
      has_more: z.boolean(),
    }),
  }),
  writeCapabilities: defineOperation({
    id: 'mcp_integrations.write_capabilities',
    method: 'PUT',
    path: `${PATH}/capabilities`,
    summary: 'Switches capabilities of an MCP integration on or off, for all of its servers.',
    scopes: scopes('update'),
    body: capabilitiesBody,
    answer: success,
  }),
  test: defineOperation({
    id: 'mcp_integrations.test',
    method: 'POST',
    path: `${PATH}/test`,
    summary: 'Asks the MCP server for a session, without a credential, and says what came of it.',
    scopes: scopes('read'),
    answer: testResult,
  }),
  metadata: defineOperation({
    id: 'mcp_integrations.get_metadata',
    method: 'GET',
    path: `${PATH}/metadata`,
    summary: 'Reads what is known of the MCP server itself.',
    scopes: scopes('read'),
    answer: metadata,
  }),
} as const;
