/** Management operations: exports of logs. */
import { z } from 'zod';
import { EXPORT_FIELDS, EXPORT_STATUSES } from '../logs/export.ts';
import { logFilters } from './log-filters.ts';
import { defineOperation } from './operation.ts';
import { anyObject, dateTime, paging, uuid } from './shapes.ts';

const MAX_RECORDS = 1_000_000;
const USUAL_RECORDS = 50_000;

const { workspace_id: workspace, ...members } = logFilters;
const filters = z.strictObject({
  ...members,
  /** As an object, or as its JSON. */
  metadata: z.union([anyObject, z.string().min(1).max(8_192)]).optional(),
  page_size: z.coerce.number().int().min(1).max(MAX_RECORDS).default(USUAL_RECORDS),
  /** An export begins with the newest row. */
  current_page: z.literal(0).optional(),
});
const fields = z.array(z.enum(EXPORT_FIELDS)).min(1).max(EXPORT_FIELDS.length);
const scopes = ['logs.export'] as const;
const path = '/logs/exports/{exportId}';

const record = z.object({
  id: uuid,
  organisation_id: uuid,
  workspace_id: z.string(),
  /** The filters that were given. */
  filters: anyObject,
  requested_data: z.array(z.string()),
  status: z.enum(EXPORT_STATUSES),
  /** Why it failed. */
  problem: z.string().nullable(),
  description: z.string(),
  created_at: dateTime,
  last_updated_at: dateTime,
  /** The person, else the key. */
  created_by: z.string(),
  total_records: z.int(),
  object: z.literal('export'),
});
const written = z.object({ id: uuid, total: z.int(), object: z.literal('export') });
const told = z.object({ message: z.string(), object: z.literal('export') });

export const logExports = {
  list: defineOperation({
    id: 'log_exports.list',
    method: 'GET',
    path: '/logs/exports',
    summary: 'Lists exports, the newest first.',
    scopes,
    query: z.strictObject({ ...paging, workspace_id: workspace }),
    answer: z.object({ object: z.literal('list'), total: z.int(), data: z.array(record) }),
  }),
  create: defineOperation({
    id: 'log_exports.create',
    method: 'POST',
    path: '/logs/exports',
    summary: 'Makes a draft of an export; nothing runs before it is started.',
    scopes,
    body: z.strictObject({
      workspace_id: workspace,
      filters,
      requested_data: fields,
      description: z.string().max(1_024).optional(),
    }),
    answer: written,
  }),
  restrictions: defineOperation({
    id: 'log_exports.field_restrictions',
    method: 'GET',
    path: '/logs/exports/field-restrictions',
    summary: 'Shows the fields that the organisation leaves out of exports.',
    scopes,
    query: z.strictObject({ workspace_id: workspace }),
    answer: z.object({ denied_fields: z.array(z.string()) }),
  }),
  get: defineOperation({
    id: 'log_exports.get',
    method: 'GET',
    path,
    summary: 'Shows an export.',
    scopes,
    answer: record,
  }),
  update: defineOperation({
    id: 'log_exports.update',
    method: 'PUT',
    path,
    summary: 'Replaces the filters of a draft, and its fields where they are given.',
    scopes,
    body: z.strictObject({ workspace_id: workspace, filters, requested_data: fields.optional() }),
    answer: written,
  }),
  start: defineOperation({
    id: 'log_exports.start',
    method: 'POST',
    path: `${path}/start`,
    summary: 'Starts a draft, or an export that has failed anew.',
    scopes,
    answer: told,
  }),
  cancel: defineOperation({
    id: 'log_exports.cancel',
    method: 'POST',
    path: `${path}/cancel`,
    summary: 'Stops an export that has not ended.',
    scopes,
    answer: told,
  }),
  download: defineOperation({
    id: 'log_exports.download',
    method: 'GET',
    path: `${path}/download`,
    summary: 'Signs a link to the file of an export, for a quarter of an hour.',
    scopes,
    answer: z.object({ signed_url: z.url() }),
  }),
  file: defineOperation({
    id: 'log_exports.file',
    method: 'GET',
    path: `${path}/file`,
    summary: 'Sends the file of an export to whoever has the link: a row as JSON in each line.',
    scopes: [],
    isPublic: true,
    media: 'application/x-ndjson',
    query: z.strictObject({
      expires: z.coerce.number().int().min(0).max(1e11),
      signature: z.string().min(1).max(128),
    }),
    answer: z.string(),
  }),
} as const;
