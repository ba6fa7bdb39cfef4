export { type ClickHouseOptions, createClickHouseStore } from './clickhouse/clickhouse-store.ts';
export type { LogStore, SealedBatch } from './log-store.ts';
export type { LogRecord, RequestLog } from './request-log.ts';
