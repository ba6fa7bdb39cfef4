/** Where the management API of a process reads the request log: where its gateway writes it. */
import { err, ok, type Result } from '@gatehouse/crds';
import {
  createLogDatabase,
  type Database,
  logTablesIn,
  openLogReader,
  postgresDialect,
} from '@gatehouse/operator/management';
import type { LogReading } from '../management/index.ts';
import type { PeopleOptions } from './people.ts';

/** Opens nothing yet. Errors name the variable, never its value. */
export function openLogReading(
  { settings: { requestLog, ca }, logger }: Pick<PeopleOptions, 'settings' | 'logger'>,
  people: Database,
): Result<LogReading, string> {
  const named = requestLog?.database;
  const onAway = (error: unknown): void =>
    logger.error({ err: error }, 'Database of the request log cannot be reached');
  if (named?.kind !== 'postgres') {
    const database = logTablesIn(people);
    const opened = openLogReader(
      named?.kind === 'clickhouse' ? { url: named.url.reveal(), ca, onAway } : undefined,
      database,
    );
    return opened.ok ? ok({ ...opened.value, database }) : err(`GATEHOUSE_LOGS_CLICKHOUSE_URL: ${opened.error}`);
  }
  const dialect = postgresDialect({ url: named.url.reveal(), ca });
  if (!dialect.ok) return err(`GATEHOUSE_LOGS_DATABASE_URL: ${dialect.error}`);
  const database = createLogDatabase({ dialect: dialect.value, onAway });
  const opened = openLogReader(undefined, database);
  return opened.ok ? ok({ ...opened.value, database, close: database.close }) : opened;
}
