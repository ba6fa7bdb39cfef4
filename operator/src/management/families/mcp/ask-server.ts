import { RestError } from '../../http/rest-error.ts';
import type { McpTestResult } from '../../mcp-test/index.ts';
import type { Home } from '../../tenancy/index.ts';
import type { Services } from '../family.ts';
import type { IntegrationObject } from './spec.ts';

/** What came of asking the server of an integration. Throws RestError UNAVAILABLE where nothing asks servers, and TOO_MANY. */
export async function testServer(
  { meta: { namespace }, spec: { url, transport } }: IntegrationObject,
  asker: Home,
  { mcpTest, tenancy }: Services,
) {
  if (mcpTest === undefined) throw new RestError('UNAVAILABLE', { message: 'No MCP server is asked from here' });
  const isOfWorkspace = namespace !== tenancy.organisation.namespace;
  return { ...shown(await mcpTest({ url, transport, asker: asker.namespace, isOfWorkspace })), url };
}

const shown = ({ success, status, milliseconds, serverName, error }: McpTestResult) => ({
  success,
  status_code: status ?? null,
  response_time_ms: milliseconds,
  server_name: serverName ?? '',
  error: error ?? null,
});

/** Of a server whose integration is gone, or not granted any more. */
export const NOT_GRANTED = {
  ...{ success: false, status_code: null, response_time_ms: 0, url: null, server_name: '' },
  error: 'the MCP integration does not exist any more, or is not granted to the workspace',
};
