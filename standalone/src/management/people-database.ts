/** Where people, audit records and versions are. */
import type { Database, LogObjects, LogReader, LogTables, SignIn } from '@gatehouse/operator/management';

export interface PeopleDatabase {
  readonly database: Database;
  /** Nothing but calls about people starts it: it takes memory. */
  readonly isLazy: boolean;
  /** Days after which audit records are deleted; absent or 0: never. */
  readonly auditRetentionDays?: number;
  /** Absent: it is not set up. */
  readonly signIn?: SignIn | undefined;
  /** Absent: no gateway of the process keeps a request log. */
  readonly logs?: LogReading | undefined;
}

/** The request log where the gateway writes it. */
export interface LogReading {
  readonly reader: LogReader;
  /** Feedback and exports. */
  readonly database: Database<LogTables>;
  /** Absent: documents are in the database. */
  readonly objects?: LogObjects | undefined;
  close(): Promise<void>;
}

/** Whether rows that are not about people are kept now. */
export const keepsRows =
  ({ database, isLazy }: PeopleDatabase) =>
  (): boolean =>
    !isLazy || database.isOpen();
