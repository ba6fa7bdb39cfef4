/** The request log that gateways write: in ClickHouse where it is named, else in the database of people. */
import type { OperatorOptions, Variables } from '../../config/index.ts';
import {
  createLogDatabase,
  createLogExports,
  type Database,
  exportSourceOf,
  type LogExports,
  type LogSource,
  type LogTables,
  logTablesIn,
  makeLogAccount,
  openLogObjects,
  openLogReader,
  postgresDialect,
} from '../../management/index.ts';
import { createBackoff, type Log, sleep, systemClock } from '../../runtime/index.ts';
import { createStoreIdentity } from '../../secret-managers/index.ts';

export interface RequestLog extends AsyncDisposable {
  /** Feedback and exports. */
  readonly logDatabase: Database<LogTables>;
  readonly logs: LogSource;
  readonly exports: LogExports;
}

type RequestLogSettings = Pick<
  OperatorOptions,
  'logsClickHouseUrl' | 'logsDatabaseUrl' | 'logsAccountPassword' | 'logStore'
>;

interface Context {
  readonly database: Database;
  readonly log: Log;
  readonly variables: Variables;
  /** Certificate authorities of PostgreSQL as PEM. */
  readonly ca: string | undefined;
}

/** Whether gateways may keep one that this process is told of. */
const isConfigured = (settings: RequestLogSettings): boolean =>
  [settings.logsClickHouseUrl, settings.logsDatabaseUrl, settings.logsAccountPassword].some(
    (value) => value !== undefined,
  );

/** As `openRequestLog`; undefined where no variable says that one is kept. */
export const openConfiguredLog = (settings: RequestLogSettings, context: Context): RequestLog | undefined =>
  isConfigured(settings) ? openRequestLog(settings, context) : undefined;

/** Opens nothing before it is used, but for the account of gateways; throws for settings that cannot be used, without repeating them. */
export function openRequestLog(
  { logsClickHouseUrl: url, logsDatabaseUrl, logsAccountPassword: password, logStore }: RequestLogSettings,
  { database, log, variables, ca }: Context,
): RequestLog {
  const logDatabase = logsDatabaseUrl === undefined ? logTablesIn(database) : openOwn(logsDatabaseUrl, { log, ca });
  const opened = openLogReader(url === undefined ? undefined : { url, onAway: tellAway(log) }, logDatabase);
  if (!opened.ok) throw new Error(`GATEHOUSE_LOGS_CLICKHOUSE_URL: ${opened.error}`);
  const { reader, close } = opened.value;
  const objects = openLogObjects(
    { ...logStore, folder: undefined },
    { openIdentity: (place) => createStoreIdentity({ variables, now: Date.now }, place), now: Date.now },
  );
  if (!objects.ok) throw new Error(objects.error);
  const logs = { reader, objects: objects.value };
  const exports = createLogExports({
    ...{ database: logDatabase, source: exportSourceOf(logs), now: Date.now, isEnabled: () => true },
    onFailure: (error) => log.warn({ err: error }, 'Export of logs failed'),
  });
  const closing = new AbortController();
  const account = password === undefined ? undefined : keepLogAccount({ database, password, log }, closing.signal);
  return {
    ...{ logDatabase, logs, exports },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await Promise.all([exports.close(), account]);
      await close();
      await logDatabase.close();
    },
  };
}

/** With the account of the gateways: what it has put into its tables runs with its rights, not with those of people. */
function openOwn(url: string, { log, ca }: Pick<Context, 'log' | 'ca'>): Database<LogTables> {
  const dialect = postgresDialect({ url, ca });
  if (!dialect.ok) throw new Error(`GATEHOUSE_LOGS_DATABASE_URL: ${dialect.error}`);
  return createLogDatabase({ dialect: dialect.value, onAway: tellAway(log) });
}

const tellAway =
  (log: Context['log']) =>
  (error: unknown): void =>
    log.error({ err: error }, 'Database of the request log cannot be reached');

const RETRY = { minMs: 1_000, maxMs: 60_000 };

interface LogAccountOptions {
  readonly database: Database;
  readonly password: string;
  readonly log: Log;
}

/** Tries until the account is there: gateways keep their rows until then. Never rejects. */
async function keepLogAccount({ database, password, log }: LogAccountOptions, signal: AbortSignal): Promise<void> {
  const backoff = createBackoff(RETRY, Math.random);
  while (!signal.aborted) {
    try {
      await makeLogAccount(database, password);
      return;
    } catch (error) {
      log.warn({ err: error }, 'The account of gateways for the request log could not be made');
      await sleep(backoff.next(), { signal, clock: systemClock }).catch(() => {}); // the signal has ended
    }
  }
}
