/** The request log, where the settings name a database. */
import type { Budgets } from '../budgets/index.ts';
import type { GatewaySettings } from '../config/index.ts';
import { createIngest } from '../ingest/index.ts';
import type { Ingest } from '../pipeline/index.ts';
import {
  createClickHouseStore,
  createPostgresStore,
  createRequestLog,
  type LogStore,
  type RequestLog,
} from '../request-log/index.ts';
import { postgresDialect } from '../store/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { VERSION } from './version.ts';

interface RequestLogParts {
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Of the process, for settings that name no database themselves. */
  readonly store: LogStore | undefined;
}

/** Undefined: nothing is kept, and nothing is done for it. */
export function openRequestLog(
  { requestLog, ca }: Pick<GatewaySettings, 'requestLog' | 'ca'>,
  { store: given, ...parts }: RequestLogParts,
): RequestLog | undefined {
  if (requestLog === undefined) return undefined;
  const { database, maxBytes, retentionMs } = requestLog;
  const store = database.kind === 'process' ? given : openStore(database, ca);
  return store && createRequestLog({ ...parts, maxBytes, retentionMs, store, now: Date.now });
}

/** Batches are written one after the other, beside the end of old days. */
const MAX_CONNECTIONS = 2;

type Database = Exclude<NonNullable<GatewaySettings['requestLog']>['database'], { readonly kind: 'process' }>;

function openStore({ kind, url }: Database, ca: string | undefined): LogStore {
  const options = { url: url.reveal(), ca };
  if (kind === 'clickhouse') return createClickHouseStore(options);
  return createPostgresStore(postgresDialect({ ...options, maxConnections: MAX_CONNECTIONS }));
}

/** Undefined: no records are taken, since there is no log. */
export function openIngest(
  {
    requestLog,
    logBodyBytes,
    limits,
    headersToMask,
  }: Pick<GatewaySettings, 'requestLog' | 'logBodyBytes' | 'limits' | 'headersToMask'>,
  log: RequestLog | undefined,
  reserve: Budgets['reserve'],
): Ingest | undefined {
  if (log === undefined) return undefined;
  return createIngest({
    ...{ log, headersToMask, gatewayVersion: VERSION },
    retentionMs: requestLog?.retentionMs,
    maxBodyBytes: logBodyBytes,
    json: limits.json,
    budgets: { reserve },
    now: Date.now,
  });
}
