import { z } from 'zod';
import { atomicList, flag, httpUrl, mapList, objectName, type Rule, withRules } from '../schema/index.ts';
import {
  defineKind,
  description,
  displayName,
  headerMap,
  headerName,
  headersFrom,
  mcpCapabilities,
  statusOf,
} from './parts/index.ts';

const grant = z.strictObject({
  name: objectName('name is the name of the Workspace.'),
  enabled: flag('enabled false withdraws the integration from the workspace.', true),
});

const forwardHeaders = z
  .strictObject({
    mode: z.enum(['Allow', 'AllExcept']).meta({
      description: 'mode Allow passes the headers of the list on, AllExcept all others.',
    }),
    headers: atomicList(headerName('A header name.'), 'headers are the names, in any case.', 64),
  })
  .meta({ description: 'forwardHeaders are the headers of callers that the MCP server gets.' });

const fields = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    url: httpUrl('url is the endpoint of the MCP server.'),
    transport: z
      .enum(['http', 'sse'])
      .meta({ description: 'transport is Streamable HTTP (http) or the older HTTP with Server-Sent Events (sse).' })
      .default('http'),
    authType: z
      .enum(['none', 'headers', 'oauth_auto'])
      .meta({
        description:
          'authType is how the MCP server knows callers: not at all, by headers, or by OAuth tokens of each person, ' +
          'whose authorization server is found from the endpoint.',
      })
      .default('none'),
    headers: headerMap('headers are sent with every call.').optional(),
    headersFrom: headersFrom.optional(),
    forwardHeaders: forwardHeaders.optional(),
    capabilities: mcpCapabilities(
      'capabilities are switches of single capabilities, for all servers of the integration.',
    ).optional(),
    allWorkspaces: z
      .boolean()
      .meta({ description: 'allWorkspaces grants the integration to every workspace that is not in the list.' })
      .optional(),
    workspaces: mapList(grant, ['name'], {
      description: 'workspaces are those that an integration of the organisation is granted to.',
      max: 500,
    }).optional(),
  })
  .meta({ description: 'spec is the desired state of the integration.' });

const ENDPOINT = { url: 'https://mcp.example.com/mcp' };
const HEADERS = { ...ENDPOINT, headers: { 'x-team': 'a' } };

const RULES: readonly Rule<z.output<typeof fields>>[] = [
  {
    cel: "!(has(self.headers) || has(self.headersFrom)) || (has(self.authType) && self.authType == 'headers')",
    message: 'headers and headersFrom need authType headers',
    at: 'authType',
    holds: ({ headers, headersFrom: from, authType }) =>
      (headers === undefined && from === undefined) || authType === 'headers',
    valid: [ENDPOINT, { ...HEADERS, authType: 'headers' }, { ...ENDPOINT, authType: 'headers' }],
    invalid: [HEADERS, { ...HEADERS, authType: 'oauth_auto' }],
  },
];

export const mcpIntegration = defineKind({
  kind: 'McpIntegration',
  plural: 'mcpintegrations',
  shortNames: ['gwmcpi'],
  summary: 'A server of the Model Context Protocol, and who may use it: a record, no call goes there yet.',
  spec: withRules(fields, RULES),
  status: statusOf({}),
  columns: [
    { name: 'URL', type: 'string', jsonPath: '.spec.url' },
    { name: 'Auth', type: 'string', jsonPath: '.spec.authType' },
  ],
});

/** Whether an integration of the organisation is granted to a workspace: what is said of one goes before what is said of all. */
export const isMcpGrantedTo = (workspace: string, { workspaces, allWorkspaces }: z.output<typeof fields>): boolean =>
  workspaces?.find(({ name }) => name === workspace)?.enabled ?? allWorkspaces === true;
