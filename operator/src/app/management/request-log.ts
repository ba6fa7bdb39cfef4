/** The request log that gateways write: in ClickHouse where it is named, else in the database of people. */
import type { OperatorOptions } from '../../config/index.ts';
import {
  connectClickHouse,
  createClickHouseReader,
  createLogExports,
  createPostgresReader,
  type Database,
  exportSourceOf,
  type LogExports,
  type LogReader,
  type LogSource,
  type LogTables,
  logTablesIn,
} from '../../management/index.ts';
import type { Log } from '../../runtime/index.ts';

export interface RequestLog extends AsyncDisposable {
  /** Feedback and exports. */
  readonly logDatabase: Database<LogTables>;
  readonly logs: LogSource;
  readonly exports: LogExports;
}

/** Opens nothing yet; throws for a URL that cannot be used, without repeating it. */
export function openRequestLog(
  { logsClickHouseUrl: url }: Pick<OperatorOptions, 'logsClickHouseUrl'>,
  database: Database,
  log: Log,
): RequestLog {
  const logDatabase = logTablesIn(database);
  const { reader, close } = openReader(url, logDatabase);
  const logs = { reader };
  const exports = createLogExports({
    ...{ database: logDatabase, source: exportSourceOf(logs), now: Date.now, isEnabled: () => true },
    onFailure: (error) => log.warn({ err: error }, 'Export of logs failed'),
  });
  return {
    ...{ logDatabase, logs, exports },
    [Symbol.asyncDispose]: async () => {
      await exports.close();
      await close();
    },
  };
}

function openReader(
  url: string | undefined,
  feedback: Database<LogTables>,
): { readonly reader: LogReader; close(): Promise<void> } {
  if (url === undefined) return { reader: createPostgresReader(feedback), close: async () => undefined };
  const connection = connectClickHouse({ url });
  if (!connection.ok) throw new Error(`GATEHOUSE_LOGS_CLICKHOUSE_URL: ${connection.error}`);
  const { ask, close } = connection.value;
  return { reader: createClickHouseReader({ ask, feedback }), close };
}
