export { createClickHouseStore } from './clickhouse/clickhouse-store.ts';
export type { ClickHouseOptions } from './clickhouse/connect.ts';
export { readClickHouseTrace } from './clickhouse/read-trace.ts';
export { type CleanBodies, cleanBodies } from './content/clean-bodies.ts';
export { createRequestLog, type RequestLogOptions } from './create-request-log.ts';
export {
  type BucketOptions,
  createBucketDocuments,
  createFolderDocuments,
  type DocumentStore,
  type UploadSettings,
} from './documents/index.ts';
export type { DocumentOptions } from './keep-documents.ts';
export { type LogStore, RowsRefused, type SealedBatch, toWaiting, type WaitingRecord } from './log-store.ts';
export { createPostgresStore } from './postgres/postgres-store.ts';
export { readTrace } from './postgres/read-trace.ts';
export {
  type ClickHouseReRateOptions,
  MAX_SIDECAR_COST_NANO,
  type RatePrices,
  type Rating,
  type RatingOptions,
  type ReRatedBatch,
  type ReRatedRow,
  type ReRateOptions,
  rateRow,
  reRate,
  reRateClickHouse,
} from './re-rate/index.ts';
export type { Admission, LogFeedback, LogRecord, RequestLog } from './request-log.ts';
export {
  createRequestLogSink,
  type LogRecordOptions,
  logRecordsOf,
  type RequestLogSinkOptions,
} from './rows/request-log-sink.ts';
export type { LoggedTrace, TraceQuestion } from './trace.ts';
