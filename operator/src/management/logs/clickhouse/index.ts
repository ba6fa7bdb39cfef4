export { type ClickHouseReaderOptions, createClickHouseReader } from './clickhouse-reader.ts';
export { type ClickHouseConnection, type ClickHouseOptions, connectClickHouse } from './client.ts';
