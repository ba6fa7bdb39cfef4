export { BatchQueue, type BatchQueueOptions, type DropReason } from './batch-queue.ts';
export { type ClickHouseOptions, createClickHouseStore } from './clickhouse/clickhouse-store.ts';
export type { LogStore, SealedBatch } from './log-store.ts';
export { createPostgresStore, type OpenDialect, postgresDialect } from './postgres/postgres-store.ts';
export type { LogRecord, RequestLog } from './request-log.ts';
