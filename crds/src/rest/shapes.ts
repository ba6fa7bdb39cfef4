/** Shapes that several families of management operations share. */
import { z } from 'zod';

export const uuid = z.uuid();
export const dateTime = z.iso.datetime({ offset: true });
export const url = z.url();
export const email = z.email();
/** A JSON object that another schema checks. */
export const anyObject = z.record(z.string(), z.unknown());

/** Numbers and switches of a query are texts. */
export const queryInt = z.coerce.number().int().min(0);
export const queryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Pages count from zero; both spellings are accepted. */
export const paging = {
  current_page: queryInt.optional(),
  page_size: queryInt.optional(),
  currentPage: queryInt.optional(),
  pageSize: queryInt.optional(),
} as const;

export const emptyObject = anyObject;

export const idSlug = z.object({ id: uuid.optional(), slug: z.string().optional() });

export const mcpCapabilitiesWrite = z.strictObject({
  capabilities: z
    .array(z.strictObject({ name: z.string(), type: z.enum(['tool', 'prompt', 'resource']), enabled: z.boolean() }))
    .min(1),
});

export const mcpCapabilityCounts = z.object({
  tools: z.object({ total: z.int().optional(), enabled: z.int().optional() }).optional(),
  prompts: z.object({ total: z.int().optional(), enabled: z.int().optional() }).optional(),
  resources: z.object({ total: z.int().optional(), enabled: z.int().optional() }).optional(),
  resource_templates: z.object({ total: z.int().optional(), enabled: z.int().optional() }).optional(),
});

export const mcpIntegrationMetadata = z.object({
  server_name: z.string().nullable().optional(),
  server_version: z.string().nullable().optional(),
  protocol_version: z.string().nullable().optional(),
  capability_flags: anyObject.nullable().optional(),
  sync_status: z.string().nullable().optional(),
  last_synced_at: dateTime.nullable().optional(),
  sync_error: z.string().nullable().optional(),
});

export const mcpServerTestResult = z.object({
  success: z.boolean().optional(),
  status_code: z.int().nullable().optional(),
  response_time_ms: z.int().nullable().optional(),
  url: url.nullable().optional(),
  server_name: z.string().optional(),
  error: z.string().nullable().optional(),
});

export const rateLimit = z.strictObject({
  type: z.enum(['requests', 'tokens']).optional(),
  unit: z.enum(['rpd', 'rph', 'rpm']).optional(),
  value: z.int().optional(),
});

export const secretMapping = z.strictObject({
  target_field: z.string(),
  secret_reference_id: z.string(),
  secret_key: z.string().nullable().optional(),
  value_format: z.enum(['json', 'string']).nullable().optional(),
});

export const successFlag = z.object({ success: z.boolean().optional() });

export const usageLimit = z.strictObject({
  credit_limit: z.int().min(1).optional(),
  type: z.enum(['cost', 'tokens']).optional(),
  alert_threshold: z.int().min(1).optional(),
  periodic_reset: z.enum(['monthly', 'weekly']).nullable().optional(),
  periodic_reset_days: z.int().min(1).max(365).nullable().optional(),
  next_usage_reset_at: dateTime.nullable().optional(),
  current_usage: z.number().optional(),
  last_reset_at: dateTime.optional(),
  status: z.enum(['active', 'exhausted']).optional(),
  id: z.string().optional(),
});
