/** The request log as the management API reads it: docs/behaviour/request-logs.md */
export {
  type ClickHouseConnection,
  type ClickHouseOptions,
  connectClickHouse,
  createClickHouseReader,
} from './clickhouse/index.ts';
export {
  type DocumentSource,
  type FoundContent,
  findContent,
  type LogObjects,
  LogObjectsAway,
  type LogSource,
  readContent,
} from './documents.ts';
export * from './objects/index.ts';
export { type OpenLogReader, openLogReader } from './open-reader.ts';
export * from './reader.ts';
export { createLogDatabase, createPostgresReader } from './sql/index.ts';
export { isOwnOnly, type VisibleRows, visibleRows } from './visible-rows.ts';
