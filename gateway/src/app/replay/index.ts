/** Decisions made again, for a command: docs/behaviour/request-logs.md#replay */

import { type LoggedTrace, readTrace } from '../../request-log/index.ts';
import { postgresDialect } from '../../store/index.ts';
import type { ReRateRequest } from '../re-rate.ts';

export type { LoggedTrace } from '../../request-log/index.ts';
export type { RecordedRequest } from './recorded.ts';
export { type Replayed, type ReplayedDecision, type ReplayedTarget, replayRequest } from './replay.ts';

/** Undefined: the log has no such trace. Rejects with what the database says. */
export const readLoggedTrace = (
  database: ReRateRequest['database'],
  traceId: string,
): Promise<LoggedTrace | undefined> =>
  readTrace(typeof database === 'function' ? database : postgresDialect({ ...database, maxConnections: 1 }), traceId);
