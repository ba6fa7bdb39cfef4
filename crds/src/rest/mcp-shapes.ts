/** Shapes that operations of MCP integrations and of MCP servers share. */
import { z } from 'zod';
import { MCP_CAPABILITY_TYPES } from '../kinds/index.ts';
import { anyObject, dateTime } from './shapes.ts';

/** Pages of these lists count from one. */
export const pagingFromOne = {
  page: z.coerce.number().int().min(1).optional(),
  page_size: z.coerce.number().int().min(1).optional(),
} as const;

export const capabilityQuery = z.strictObject({
  ...pagingFromOne,
  type: z.enum([...MCP_CAPABILITY_TYPES, 'resource_template']).optional(),
});

/** What is known of a capability: its switch. Servers are not asked what they offer. */
export const shownCapability = z.object({
  name: z.string(),
  type: z.enum(MCP_CAPABILITY_TYPES),
  enabled: z.boolean(),
});

const count = z.object({ total: z.int(), enabled: z.int() });
export const capabilityCounts = z.object({ tools: count, prompts: count, resources: count, resource_templates: count });

export const capabilitiesBody = z.strictObject({
  capabilities: z
    .array(
      z.strictObject({ name: z.string().min(1).max(512), type: z.enum(MCP_CAPABILITY_TYPES), enabled: z.boolean() }),
    )
    .min(1)
    .max(500),
});

export const success = z.object({ success: z.literal(true) });

/** Of a server that is not asked: nothing is known yet. */
export const metadata = z.object({
  server_name: z.string().nullable(),
  server_version: z.string().nullable(),
  protocol_version: z.string().nullable(),
  capability_flags: anyObject.nullable(),
  sync_status: z.literal('pending'),
  last_synced_at: dateTime.nullable(),
  sync_error: z.string().nullable(),
});

/** What came of asking the server for a session; a server that cannot be reached is no error of the call. */
export const testResult = z.object({
  success: z.boolean(),
  /** Of the answer; null: there was none. */
  status_code: z.int().nullable(),
  response_time_ms: z.int(),
  url: z.string().nullable(),
  /** As the server calls itself; empty: it does not say. */
  server_name: z.string(),
  error: z.string().nullable(),
});
