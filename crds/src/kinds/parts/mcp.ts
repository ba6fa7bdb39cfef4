/** The members that McpIntegration and McpServer share. */
import { z } from 'zod';
import { mapList, text } from '../../schema/index.ts';

/** What an MCP server offers and a switch can hide: Model Context Protocol 2025-06-18, "Server features". */
export const MCP_CAPABILITY_TYPES = ['tool', 'prompt', 'resource'] as const;

export const MAX_MCP_CAPABILITIES = 500;

/** Switches of single capabilities; those without one are on. */
export const mcpCapabilities = (description: string) =>
  mapList(
    z.strictObject({
      type: z.enum(MCP_CAPABILITY_TYPES).meta({ description: 'type is what the capability is.' }),
      name: text('name is the name of the tool or prompt, or the URI of the resource.', 512),
      enabled: z.boolean().meta({ description: 'enabled false hides the capability.' }),
    }),
    ['type', 'name'],
    { description, max: MAX_MCP_CAPABILITIES },
  );
