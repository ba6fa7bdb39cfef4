import { MCP_INTEGRATIONS } from './integrations.ts';
import { MCP_SERVERS } from './servers.ts';

export const MCP = [...MCP_INTEGRATIONS, ...MCP_SERVERS];
