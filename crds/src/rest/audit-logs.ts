/** Management operations: records of writes. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { anyObject, dateTime, paging, uuid } from './shapes.ts';

export const AUDIT_ACTIONS = [
  ...(['create', 'update', 'delete', 'publish'] as const),
  ...(['export', 'rotate', 'manage', 'duplicate'] as const),
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const text = z.string().min(1).max(1_024);

const record = z.object({
  id: uuid,
  timestamp: dateTime,
  method: z.string(),
  uri: z.string(),
  request_id: z.string(),
  /** The person of the key, else the key; null: nobody who is known. */
  user_id: z.string().nullable(),
  user_type: z.enum(['user', 'api_key', 'scim', 'anonymous', 'kubernetes']),
  organisation_id: uuid,
  /** Its slug where the workspace is gone. */
  workspace_id: z.string().nullable(),
  response_status_code: z.int(),
  resource_type: z.string(),
  action: z.enum(AUDIT_ACTIONS),
  /** E.g. `log_exports.start`. */
  operation: z.string(),
  /** JSON, without secrets. */
  request_body: z.string().nullable(),
  query_params: z.string().nullable(),
  request_headers: z.string().nullable(),
  client_ip: z.string().nullable(),
  /** Nobody knows it here. */
  country: z.null(),
  error_code: z.string().nullable(),
  forced: z.boolean(),
  changes: z.array(anyObject),
});

export const auditLogs = {
  list: defineOperation({
    id: 'audit_logs.list',
    method: 'GET',
    path: '/audit-logs',
    summary: 'Lists records of writes, the newest first.',
    scopes: ['audit_logs.list'],
    query: z.strictObject({
      ...paging,
      start_time: dateTime.optional(),
      end_time: dateTime.optional(),
      organisation_id: uuid.optional(),
      method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']).optional(),
      uri: text.optional(),
      request_id: text.optional(),
      user_id: text.optional(),
      user_type: record.shape.user_type.optional(),
      workspace_id: text.optional(),
      response_status_code: z.coerce.number().int().min(100).max(599).optional(),
      resource_type: text.optional(),
      action: text.optional(),
      client_ip: text.optional(),
      country: text.optional(),
    }),
    answer: z.object({ object: z.literal('list'), records: z.array(record), total: z.int() }),
  }),
} as const;
