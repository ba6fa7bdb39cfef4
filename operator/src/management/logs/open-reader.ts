import { ok, type Result } from '@gatehouse/crds';
import type { Database, LogTables } from '../database/index.ts';
import { type ClickHouseOptions, connectClickHouse, createClickHouseReader } from './clickhouse/index.ts';
import type { LogReader } from './reader.ts';
import { createPostgresReader } from './sql/index.ts';

export interface OpenLogReader {
  readonly reader: LogReader;
  close(): Promise<void>;
}

/**
 * Reads rows from ClickHouse where it is given, else from the database, which has feedback and exports anyway. Opens nothing yet. Errors
 * name the part of the URL, never its content.
 */
export function openLogReader(
  clickHouse: ClickHouseOptions | undefined,
  database: Database<LogTables>,
): Result<OpenLogReader, string> {
  if (clickHouse === undefined) return ok({ reader: createPostgresReader(database), close: async () => undefined });
  const connection = connectClickHouse(clickHouse);
  if (!connection.ok) return connection;
  const { ask, change, close } = connection.value;
  return ok({ reader: createClickHouseReader({ ask, change, feedback: database }), close });
}
