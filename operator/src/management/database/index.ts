/** The database that the management API keeps people and audit in. */
export { createDatabase, type Database, DatabaseAway, type DatabaseOptions, isAway, type Queries } from './database.ts';
export { makeLogAccount } from './log-account.ts';
export { type LogTables, logTablesIn } from './log-tables.ts';
export type { TableSet } from './open.ts';
export { postgresDialect } from './postgres.ts';
export type { Tables } from './tables.ts';
export { WriteQueue } from './write-queue.ts';
