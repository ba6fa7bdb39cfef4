/** The database of people and the audit records of one process. */
import { readFileSync } from 'node:fs';
import type { OperatorOptions, Variables } from '../../config/index.ts';
import {
  type CallReport,
  createAuditLog,
  createDatabase,
  createOutsideWrites,
  createRetention,
  createRevisions,
  createSignIn,
  type Database,
  type OutsideWrites,
  type OutsideWritesOptions,
  parseSignIn,
  postgresDialect,
  type Revisions,
  type SignIn,
  toAuditRecord,
  toLogLine,
  whyNotKept,
} from '../../management/index.ts';
import type { Log } from '../../runtime/index.ts';
import { openConfiguredLog, type RequestLog } from './request-log.ts';

export interface People extends AsyncDisposable {
  readonly database: Database;
  readonly revisions: Revisions;
  /** Undefined: none is kept. */
  readonly requestLog: RequestLog | undefined;
  /** Undefined: it is not set up. */
  readonly signIn: SignIn | undefined;
  /** Keeps a record of the call. */
  onCall(report: CallReport): void;
  /** Keeps records of writes that no call has made, from now on; closed with the database. */
  followOutside(workspaceOf: OutsideWritesOptions['workspaceOf']): OutsideWrites;
  /** Records that the database never got. */
  readonly dropped: number;
}

type PeopleOptions = Pick<
  OperatorOptions,
  | 'databaseUrl'
  | 'databaseCaFile'
  | 'logsClickHouseUrl'
  | 'logsDatabaseUrl'
  | 'logsAccountPassword'
  | 'logStore'
  | 'auditRetentionDays'
  | 'signIn'
>;

interface Context {
  readonly log: Log;
  readonly variables: Variables;
}

const FEEDBACK_NEEDS_DATABASE = 'GATEHOUSE_LOGS_CLICKHOUSE_URL: feedback and exports need a database, DATABASE_URL';

/** Undefined where no database is named. Opens nothing yet; throws for settings that cannot be used, without repeating them. */
export function openPeople(
  { databaseUrl: url, databaseCaFile, auditRetentionDays, signIn: given, ...logs }: PeopleOptions,
  { log, variables }: Context,
): People | undefined {
  const settings = parseSignIn(given);
  if (!settings.ok) throw new Error(`Signing in: ${settings.error}`);
  if (url === undefined) {
    if (settings.value !== undefined) throw new Error('Signing in: sessions need a database, DATABASE_URL');
    if (logs.logsClickHouseUrl !== undefined) throw new Error(FEEDBACK_NEEDS_DATABASE);
    return undefined;
  }
  const ca = databaseCaFile === undefined ? undefined : readFileSync(databaseCaFile, 'utf8');
  const dialect = postgresDialect({ url, ca });
  if (!dialect.ok) throw new Error(`DATABASE_URL: ${dialect.error}`);
  const onAway = (error: unknown): void => log.error({ err: error }, 'Database of people cannot be reached');
  const onProviderAway = (error: unknown): void => log.error({ err: error }, 'Identity provider gave no usable answer');
  const database = createDatabase({ dialect: dialect.value, onAway });
  const audit = createAuditLog({
    database,
    onDropped: (record, refused) => log.warn(toLogLine(record), `Audit record was not kept: ${whyNotKept(refused)}`),
  });
  const revisions = createRevisions({
    database,
    isEnabled: () => true,
    now: Date.now,
    onDropped: (count, refused) => log.warn({ count }, `Versions were not kept: ${whyNotKept(refused)}`),
  });
  const retention = createRetention({
    ...{ database, days: auditRetentionDays, now: Date.now },
    isEnabled: () => auditRetentionDays > 0,
    onFailure: (error) => log.warn({ err: error }, 'Old audit records could not be deleted'),
  });
  void retention.run();
  const requestLog = openConfiguredLog(logs, { database, log, variables, ca });
  let outside: OutsideWrites | undefined;
  return {
    database,
    revisions,
    requestLog,
    signIn:
      settings.value && createSignIn({ settings: settings.value, database, now: Date.now, onAway: onProviderAway }),
    onCall: (report) => {
      const record = toAuditRecord(report, Date.now());
      if (record !== undefined) audit.add(record);
    },
    followOutside: (workspaceOf) => {
      const onDropped = (count: number, refused: unknown): void =>
        log.warn({ count }, `Audit records of writes by kubectl were not kept: ${whyNotKept(refused)}`);
      outside = createOutsideWrites({ database, workspaceOf, onDropped, now: Date.now });
      return outside;
    },
    get dropped() {
      return audit.dropped() + (outside?.dropped() ?? 0);
    },
    [Symbol.asyncDispose]: async () => {
      await audit.close();
      await Promise.all([outside?.close(), revisions.close(), retention.close(), requestLog?.[Symbol.asyncDispose]()]);
      await database.close();
    },
  };
}
