/** The request log that gateways write: in ClickHouse where it is named, else in the database of people. */

import type { OperatorOptions } from '../../config/index.ts';
import {
  connectClickHouse,
  createClickHouseReader,
  createPostgresReader,
  type Database,
  type LogReader,
  type LogTables,
  logTablesIn,
} from '../../management/index.ts';
import type { People } from './people.ts';

export interface RequestLogParts extends AsyncDisposable {
  /** Feedback and exports. */
  readonly database: Database<LogTables>;
  readonly reader: LogReader;
}

/** Undefined without a database. Opens nothing yet; throws for a URL that cannot be used, without repeating it. */
export function openRequestLog(
  { logsClickHouseUrl: url }: Pick<OperatorOptions, 'logsClickHouseUrl'>,
  people: Pick<People, 'database'> | undefined,
): RequestLogParts | undefined {
  if (people === undefined) {
    if (url === undefined) return undefined;
    throw new Error('GATEHOUSE_LOGS_CLICKHOUSE_URL: feedback and exports need a database, DATABASE_URL');
  }
  const database = logTablesIn(people.database);
  if (url === undefined)
    return { database, reader: createPostgresReader(database), [Symbol.asyncDispose]: async () => {} };
  const connection = connectClickHouse({ url });
  if (!connection.ok) throw new Error(`GATEHOUSE_LOGS_CLICKHOUSE_URL: ${connection.error}`);
  const { ask, close } = connection.value;
  return { database, reader: createClickHouseReader({ ask, feedback: database }), [Symbol.asyncDispose]: close };
}
