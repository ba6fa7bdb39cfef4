/** Management operations: MCP integrations in workspaces, and the people who may use them. */
import { z } from 'zod';
import {
  capabilitiesBody,
  capabilityCounts,
  capabilityQuery,
  metadata,
  pagingFromOne,
  shownCapability,
  success,
  testResult,
} from './mcp-shapes.ts';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, name, paging, uuid } from './shapes.ts';

const description = z.string().max(500).nullish();
const access = z.enum(['allow', 'deny']);

const details = z
  .object({
    id: uuid,
    slug: z.string(),
    status: z.literal('active'),
    url: z.string(),
    transport: z.string(),
    auth_type: z.string(),
  })
  .nullable();

const record = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  status: z.literal('active'),
  organisation_id: uuid,
  owner_id: z.null(),
  workspace_id: uuid,
  /** Empty: the integration does not exist any more, or is not granted. */
  mcp_integration_id: z.string(),
  created_at: dateTime,
  last_updated_at: dateTime,
});

const item = record.extend({
  mcp_integration_slug: z.string(),
  mcp_integration_url: z.string().nullable(),
  auth_type: z.string().nullable(),
  workspace_name: z.string(),
  workspace_slug: z.string(),
});

const PATH = '/mcp-servers/{mcpServerId}';

export const mcpServers = {
  list: defineOperation({
    id: 'mcp_servers.list',
    method: 'GET',
    path: '/mcp-servers',
    summary: 'Lists the MCP servers of a workspace, or of all.',
    scopes: ['mcp_servers.list'],
    query: z.strictObject({
      ...paging,
      workspace_id: z.string().optional(),
      /** Separated by commas. */
      id: z.string().optional(),
      search: z.string().max(255).optional(),
    }),
    answer: z.object({ object: z.literal('list'), data: z.array(item), total: z.int() }),
  }),
  create: defineOperation({
    id: 'mcp_servers.create',
    method: 'POST',
    path: '/mcp-servers',
    summary: 'Makes an MCP server of an integration in a workspace.',
    scopes: ['mcp_servers.create'],
    body: z.strictObject({
      name: name.min(1),
      description,
      slug: z.string().min(3).max(50).optional(),
      /** Slug or UUID. */
      mcp_integration_id: z.string(),
      workspace_id: z.string().nullish(),
    }),
    answer: z.object({ id: uuid, slug: z.string() }),
  }),
  get: defineOperation({
    id: 'mcp_servers.get',
    method: 'GET',
    path: PATH,
    summary: 'Reads an MCP server.',
    scopes: ['mcp_servers.read'],
    answer: record.extend({ mcp_integration_details: details }),
  }),
  update: defineOperation({
    id: 'mcp_servers.update',
    method: 'PUT',
    path: PATH,
    summary: 'Changes the name or the description of an MCP server.',
    scopes: ['mcp_servers.update'],
    body: z.strictObject({ name: name.min(1).optional(), description }),
    answer: emptyObject,
  }),
  delete: defineOperation({
    id: 'mcp_servers.delete',
    method: 'DELETE',
    path: PATH,
    summary: 'Deletes an MCP server.',
    scopes: ['mcp_servers.delete'],
    answer: emptyObject,
  }),
  listCapabilities: defineOperation({
    id: 'mcp_servers.list_capabilities',
    method: 'GET',
    path: `${PATH}/capabilities`,
    summary: 'Lists the switches of the capabilities of an MCP server, with those of its integration.',
    scopes: ['mcp_servers.read'],
    query: capabilityQuery,
    answer: z.object({
      data: z.array(shownCapability.extend({ integration_enabled: z.boolean() })),
      counts: capabilityCounts,
      total: z.int(),
      has_more: z.boolean(),
    }),
  }),
  writeCapabilities: defineOperation({
    id: 'mcp_servers.write_capabilities',
    method: 'PUT',
    path: `${PATH}/capabilities`,
    summary: 'Switches capabilities of an MCP server on or off.',
    scopes: ['mcp_servers.update'],
    body: capabilitiesBody,
    answer: success,
  }),
  listUserAccess: defineOperation({
    id: 'mcp_servers.list_user_access',
    method: 'GET',
    path: `${PATH}/user-access`,
    summary: 'Lists the people of the workspace, and whether they may use an MCP server.',
    scopes: ['mcp_servers.read'],
    query: z.strictObject({ ...pagingFromOne, search: z.string().optional() }),
    answer: z.object({
      data: z.array(
        z.object({
          user_id: z.string(),
          enabled: z.boolean(),
          has_override: z.boolean(),
          connection_status: z.literal('not_connected'),
        }),
      ),
      default_user_access: access,
      total: z.int(),
      has_more: z.boolean(),
    }),
  }),
  writeUserAccess: defineOperation({
    id: 'mcp_servers.write_user_access',
    method: 'PUT',
    path: `${PATH}/user-access`,
    summary: 'Changes who may use an MCP server: people with access of their own, and the default.',
    scopes: ['mcp_servers.update'],
    body: z.strictObject({
      user_access: z
        .array(z.strictObject({ user_id: z.string().min(1).max(255), enabled: z.boolean() }))
        .max(1000)
        .optional(),
      default_user_access: access.optional(),
    }),
    answer: success,
  }),
  test: defineOperation({
    id: 'mcp_servers.test',
    method: 'POST',
    path: `${PATH}/test`,
    summary: 'Asks the MCP server for a session, without a credential, and says what came of it.',
    scopes: ['mcp_servers.read'],
    answer: testResult,
  }),
  metadata: defineOperation({
    id: 'mcp_servers.get_metadata',
    method: 'GET',
    path: `${PATH}/metadata`,
    summary: 'Reads what is known of the MCP server itself.',
    scopes: ['mcp_servers.read'],
    answer: metadata,
  }),
} as const;
