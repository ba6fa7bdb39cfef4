/** The management API over a PostgreSQL with rows that the store of gateways has written. */
import { randomUUID } from 'node:crypto';
import type { LogContent, LogRow } from '@gatehouse/crds/logs';
import { startPostgres, unwrap } from '@gatehouse/test/kit';
import { createPostgresStore, type LogFeedback, type LogRecord } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { postgresDialect as dialectOfStore } from '../../../gateway/src/store/index.ts';
import { createDatabase, type Database, postgresDialect } from '../../../operator/src/management/index.ts';
import {
  createTestManagement,
  type TestManagement,
  type TestOptions,
} from '../../../operator/src/management/testing.ts';
import { logRow } from '../../kit/log-row.ts';

export interface RequestLogWorld extends AsyncDisposable {
  readonly management: TestManagement;
  readonly database: Database;
  write(...records: readonly LogRecord[]): Promise<void>;
  /** Feedback of guardrails. */
  judge(records: readonly LogFeedback[]): Promise<void>;
  /** Runs statements as the superuser. */
  sql(statements: string): Promise<string>;
}

export const record = (over: Partial<LogRow> = {}, content?: LogContent): LogRecord => ({
  row: logRow({ created_at: NOW - 60_000, document: content === undefined ? 'none' : 'database', ...over }),
  content: content && JSON.stringify(content),
});

/** The time of the management API in tests. */
export const NOW = Date.UTC(2027, 0, 1, 12);

export async function startRequestLogWorld(options: Omit<TestOptions, 'database'> = {}): Promise<RequestLogWorld> {
  const server = await startPostgres();
  const url = await server.database();
  const database = createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: () => undefined });
  const store = createPostgresStore(dialectOfStore({ url }));
  const management = await createTestManagement(['logs', 'analytics'], { now: () => NOW, ...options, database });
  return {
    management,
    database,
    write: (...records) => writeRecords(store, records),
    judge: (records) => store.writeFeedback({ id: randomUUID(), records }),
    sql: (statements) => server.sql(statements, new URL(url).pathname.slice(1)),
    [Symbol.asyncDispose]: async () => {
      await management.close();
      await Promise.all([database.close(), store.close()]);
      await server[Symbol.asyncDispose]();
    },
  };
}
