/** The request log: rows, documents, tables. Gateways write it, the management API reads it. */

export {
  LOG_STORES,
  type LogBucket,
  type LogBucketVariables,
  type LogStoreKind,
  logBucketOf,
  unusedRoleOf,
} from './bucket.ts';
export { CLICKHOUSE_ROW, type ClickHouseRow, fromClickHouseRow } from './clickhouse-row.ts';
export { clickHouseStatements } from './clickhouse-tables.ts';
export { type ClickHouseAddress, parseClickHouseUrl } from './clickhouse-url.ts';
export { CONTENT_SHAPE, type ContentKind, isLogContent, parseLogContent } from './content-shape.ts';
export type {
  CacheVerdict,
  LogDecision,
  LogFirstCost,
  LogGuardrail,
  LogModality,
  LogUsage,
} from './decision.ts';
export type { LogBody, LogContent, LogDocument, LogRequest, LogResponse, LogWire } from './document.ts';
export {
  EXPORT_FIELDS,
  EXPORT_STATUSES,
  type ExportField,
  type ExportPlace,
  type ExportProgress,
  type ExportRow,
  type ExportStatus,
} from './export.ts';
export type { FeedbackRow } from './feedback.ts';
export { LATENCY_RATIO, latencyStep, MAX_LATENCY_STEP, msOfStep } from './latency.ts';
export { boundMetadata, boundText } from './metadata.ts';
export { MIGRATIONS } from './migrations.generated.ts';
export {
  type KeyOptions,
  ORGANISATION_ID,
  objectKey,
  PATH_FORMATS,
  type PathFormat,
  pathFormatOf,
} from './object-key.ts';
export {
  createPartition,
  DAILY_TABLES,
  dayOf,
  dayOfPartition,
  LOG_ACCOUNT,
  LOG_LOCK,
  LOG_SCHEMA,
  partitionName,
} from './partitions.ts';
export { type ColumnKind, LOG_COLUMNS, type LogRow, type LogSource, type NullableColumn } from './row.ts';
