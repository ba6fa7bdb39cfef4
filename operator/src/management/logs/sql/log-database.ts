import { LOG_LOCK, LOG_SCHEMA, MIGRATIONS } from '@gatehouse/crds/logs';
import {
  createDatabase,
  type Database,
  type DatabaseOptions,
  type LogTables,
  type TableSet,
} from '../../database/index.ts';

const LOG_TABLES: TableSet = {
  what: 'the request log',
  schema: LOG_SCHEMA,
  migrations: MIGRATIONS,
  lock: LOG_LOCK,
};

/** The database that gateways write the request log to. Opens nothing yet. */
export const createLogDatabase = (options: Omit<DatabaseOptions, 'tables'>): Database<LogTables> =>
  createDatabase<LogTables>({ ...options, tables: LOG_TABLES });
