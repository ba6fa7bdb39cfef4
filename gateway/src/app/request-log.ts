/** The request log, where the settings name a database. */
import type { Budgets } from '../budgets/index.ts';
import { DEFAULTS, type DocumentSettings, type GatewaySettings, type Variables } from '../config/index.ts';
import { createFleetLink } from '../fleet/index.ts';
import { createFleetLogStore } from '../fleet-records/index.ts';
import { createIngest, createIngestAtFleet } from '../ingest/index.ts';
import type { Ingest } from '../pipeline/index.ts';
import {
  createBucketDocuments,
  createClickHouseStore,
  createFolderDocuments,
  createPostgresStore,
  createRequestLog,
  type DocumentOptions,
  type LogStore,
  type RequestLog,
} from '../request-log/index.ts';
import { retentionDaysOf, retentionMsOf, type SnapshotHolder } from '../snapshot/index.ts';
import { postgresDialect } from '../store/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { openBucketPorts } from './bucket.ts';
import { VERSION } from './version.ts';

interface RequestLogParts {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly variables: Variables;
  /** Of the process, for settings that name no database themselves. */
  readonly store: LogStore | undefined;
  readonly snapshots: Pick<SnapshotHolder, 'current'>;
}

/** Undefined: nothing is kept, and nothing is done for it. */
export function openRequestLog(
  settings: GatewaySettings,
  { store: given, snapshots, variables, ...parts }: RequestLogParts,
): RequestLog | undefined {
  const { requestLog, sidecarProfile, ca } = settings;
  if (requestLog === undefined) {
    return sidecarProfile === undefined ? undefined : openLogAtFleet(settings, { ...parts, snapshots, sidecarProfile });
  }
  const { database, maxBytes, maxStoredBytes } = requestLog;
  const store = database.kind === 'process' ? given : openStore(database, ca);
  if (store === undefined) return undefined;
  const days = (fallback: number): number => retentionDaysOf(snapshots.current) ?? fallback;
  const documents = requestLog.documents && {
    ...requestLog.documents,
    store: openDocumentStore(requestLog.documents, settings, variables),
    retentionDays: () => days(requestLog.documents?.retentionDays ?? 0),
  };
  // Without a Snapshot it is not known whether the organisation keeps rows for longer.
  const retentionMs = (): number | undefined =>
    snapshots.current && retentionMsOf(snapshots.current, requestLog.retentionMs);
  return createRequestLog({ ...parts, maxBytes, maxStoredBytes, retentionMs, store, documents, now: Date.now });
}

function openDocumentStore(
  { place }: DocumentSettings,
  settings: GatewaySettings,
  variables: Variables,
): DocumentOptions['store'] {
  if (place.kind === 'folder') return createFolderDocuments(place.folder);
  const { bucket } = place;
  return createBucketDocuments(bucket, openBucketPorts(bucket, settings, variables));
}

/** Memory of a sidecar is that of an application pod. */
const SIDECAR_QUEUE_BYTES: number = 8 * 1024 * 1024;
/** Longest wait for an answer of the fleet, in ms. */
const FLEET_MS = 10_000;

interface FleetLogParts extends Omit<RequestLogParts, 'store' | 'variables'> {
  readonly sidecarProfile: string;
}

/** Of a sidecar, where the fleet of its profile keeps a log. Its connections are its own: large batches are in no request's way. */
function openLogAtFleet(
  { fleetTokenFile, limits, logQueueBytes }: GatewaySettings,
  { sidecarProfile, snapshots, ...parts }: FleetLogParts,
): RequestLog {
  const address = () => {
    const fleet = snapshots.current?.sidecar(sidecarProfile)?.fleet;
    return fleet?.records === true ? fleet : undefined;
  };
  const { connectTimeoutMs } = limits;
  const link = createFleetLink({
    tokenFile: fleetTokenFile,
    limits,
    ...{ connectTimeoutMs, connectionsPerOrigin: 1, keepAliveMs: DEFAULTS.upstreamKeepAliveMs },
  });
  const store = createFleetLogStore({ link, address, timeoutMs: FLEET_MS });
  const maxBytes = Math.min(logQueueBytes, SIDECAR_QUEUE_BYTES);
  const log = createRequestLog({ ...parts, maxBytes, retentionMs: () => undefined, store, now: Date.now });
  const isKept = (): boolean => address() !== undefined;
  return {
    ...log,
    isKept,
    add: (record) => {
      if (isKept()) log.add(record);
    },
    addFeedback: (feedback) => {
      if (isKept()) log.addFeedback(feedback);
    },
  };
}

/** Batches of rows are written one after the other, beside feedback with its bound and the end of old days. */
const MAX_CONNECTIONS = 4;

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
    sidecarProfile,
    logBodyBytes,
    limits,
    headersToMask,
  }: Pick<GatewaySettings, 'requestLog' | 'sidecarProfile' | 'logBodyBytes' | 'limits' | 'headersToMask'>,
  log: RequestLog | undefined,
  reserve: Budgets['reserve'],
): Ingest | undefined {
  if (log === undefined) return undefined;
  if (sidecarProfile !== undefined && requestLog === undefined) return createIngestAtFleet(sidecarProfile);
  return createIngest({
    ...{ log, headersToMask: new Set(headersToMask), gatewayVersion: VERSION },
    retentionMs: requestLog?.retentionMs,
    maxBodyBytes: logBodyBytes,
    json: limits.json,
    budgets: { reserve },
    now: Date.now,
  });
}
