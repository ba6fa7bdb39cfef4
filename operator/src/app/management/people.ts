/** The database of people and the audit records of one process. */
import { readFileSync } from 'node:fs';
import type { OperatorOptions } from '../../config/index.ts';
import {
  type CallReport,
  createAuditLog,
  createDatabase,
  createRevisions,
  type Database,
  postgresDialect,
  type Revisions,
  toAuditRecord,
} from '../../management/index.ts';
import type { Log } from '../../runtime/index.ts';

export interface People extends AsyncDisposable {
  readonly database: Database;
  readonly revisions: Revisions;
  onCall(report: CallReport): void;
}

/** Undefined where no database is named. Opens nothing yet; throws for a URL that is none, without repeating it. */
export function openPeople(
  { databaseUrl: url, databaseCaFile }: Pick<OperatorOptions, 'databaseUrl' | 'databaseCaFile'>,
  log: Log,
): People | undefined {
  if (url === undefined) return undefined;
  const ca = databaseCaFile === undefined ? undefined : readFileSync(databaseCaFile, 'utf8');
  const dialect = postgresDialect({ url, ca });
  if (!dialect.ok) throw new Error(`DATABASE_URL: ${dialect.error}`);
  const onAway = (error: unknown): void => log.error({ err: error }, 'Database of people cannot be reached');
  const database = createDatabase({ dialect: dialect.value, onAway });
  const onDropped = (count: number): void =>
    log.warn({ count }, 'Audit records were dropped: the database was away for too long');
  const audit = createAuditLog({ database, onDropped });
  const revisions = createRevisions({
    database,
    isEnabled: () => true,
    now: Date.now,
    onDropped: (count) => log.warn({ count }, 'Versions were not kept: the database was away for too long'),
  });
  return {
    database,
    revisions,
    onCall: (report) => {
      const record = toAuditRecord(report, Date.now());
      if (record !== undefined) audit.add(record);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([audit.close(), revisions.close()]);
      await database.close();
    },
  };
}
