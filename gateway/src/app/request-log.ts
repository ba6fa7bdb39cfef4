/** The request log, where the settings name a database. */
import type { GatewaySettings } from '../config/index.ts';
import type { RequestLog } from '../request-log/index.ts';
import {
  createClickHouseStore,
  createPostgresStore,
  createRequestLog,
  type LogStore,
  postgresDialect,
} from '../request-log/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';

interface RequestLogParts {
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Undefined: nothing is kept, and nothing is done for it. */
export function openRequestLog(
  { requestLog, ca }: Pick<GatewaySettings, 'requestLog' | 'ca'>,
  parts: RequestLogParts,
): RequestLog | undefined {
  if (requestLog === undefined) return undefined;
  const { database, maxBytes, retentionMs } = requestLog;
  return createRequestLog({ ...parts, maxBytes, retentionMs, store: openStore(database, ca), now: Date.now });
}

function openStore(
  { kind, url }: NonNullable<GatewaySettings['requestLog']>['database'],
  ca: string | undefined,
): LogStore {
  const options = { url: url.reveal(), ca };
  return kind === 'clickhouse' ? createClickHouseStore(options) : createPostgresStore(postgresDialect(options));
}
