/** Decisions made again, for a command: docs/behaviour/request-logs.md#replay */

import { type LoggedTrace, readClickHouseTrace, readTrace, type TraceQuestion } from '../../request-log/index.ts';
import { postgresDialect } from '../../store/index.ts';
import type { LogDatabase } from '../re-rate.ts';

export type { LoggedTrace } from '../../request-log/index.ts';
export { isOnlyRow, type RecordedRequest } from './recorded.ts';
export { type Replayed, type ReplayedDecision, type ReplayedTarget, replayRequest } from './replay.ts';

/** Rejects with what the database says. */
export function readLoggedTrace(database: LogDatabase, question: TraceQuestion): Promise<LoggedTrace> {
  if ('clickHouse' in database) return readClickHouseTrace(database.clickHouse, question);
  return readTrace(
    typeof database === 'function' ? database : postgresDialect({ ...database, maxConnections: 1 }),
    question,
  );
}
