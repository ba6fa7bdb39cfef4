import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { BatchTiming } from '../batches/index.ts';
import type { BudgetStore, Budgets } from '../budgets/index.ts';
import { bufferedBytesFor, type GatewaySettings, unservedVariables, type Variables } from '../config/index.ts';
import { createCatalogue } from '../cost/index.ts';
import { AppError } from '../errors/index.ts';
import { type ByteBudget, createByteBudget } from '../lib/byte-budget.ts';
import { collectorOfReads } from '../lib/read-memory.ts';
import { Secret } from '../lib/secret.ts';
import {
  type AdminPorts,
  createAdminListener,
  createDrain,
  createMainListener,
  type Listener,
  type MainListenerPorts,
  type ManagementAddress,
} from '../listener/index.ts';
import { createPipeline } from '../pipeline/index.ts';
import { PROVIDERS } from '../providers/register.ts';
import { createRealtime, type Realtime, type RealtimePorts } from '../realtime/index.ts';
import { createRecorder, type Recorder, type Sink } from '../record/index.ts';
import { createRequestLogSink, type LogStore, type RequestLog } from '../request-log/index.ts';
import { createSnapshotHolder, type SnapshotHolder } from '../snapshot/index.ts';
import {
  createLogger,
  createLogSink,
  createMetrics,
  createMetricsSink,
  type Logger,
  type MetricReport,
  type Metrics,
} from '../telemetry/index.ts';
import type { Tracing } from '../tracing/index.ts';
import { createUsageReports, type UsageSource } from '../usage-report/index.ts';
import { openBatches } from './batches.ts';
import type { LimitsStatus } from './limits-status.ts';
import { createPipelinePorts, largestPart } from './pipeline-ports.ts';
import { openIngest, openRequestLog } from './request-log.ts';
import type { SharedState } from './shared-state.ts';
import { tracingFor } from './tracing.ts';
import { VERSION } from './version.ts';

/** What a gateway gets from its parent when several processes serve the same port. */
export interface WorkerPorts {
  /** How many processes share the memory of this machine or container. */
  readonly processes: number;
  readonly state: SharedState;
  /** Prometheus text over all processes. */
  metricsText(): Promise<string>;
}

export interface GatewayOptions {
  readonly settings: GatewaySettings;
  /** The process environment, for the cloud settings that providers look up by name. */
  readonly variables: Variables;
  readonly logger?: Logger;
  /** Serve /metrics on the main port, too. */
  readonly metricsOnMain?: boolean;
  /** Bearer token of /internal/* on the admin port, in place of that of the settings. */
  readonly adminToken?: string;
  /** Further sinks of the records of requests, beside the metrics and the log. */
  readonly sinks?: readonly Sink[];
  /** Where requests are recorded, in place of what the settings name. It is closed with the gateway. */
  readonly requestLog?: RequestLog | undefined;
  /** Keeps the request log where the settings leave that to the process; closed with the gateway. */
  readonly logStore?: LogStore | undefined;
  /** What the source of the Snapshot adds to /internal/status. */
  readonly sourceStatus?: () => object | undefined;
  /** In place of the usual times of batches. */
  readonly batchTiming?: Partial<BatchTiming>;
  /** Counters of budgets; absent: in memory. Not used where Redis is configured. */
  readonly budgetStore?: BudgetStore;
  /** Where the management API is served; absent: its paths answer 404. */
  readonly management?: ManagementAddress | undefined;
  /** Present: this process is one of several, and its parent has the admin listener. */
  readonly worker?: WorkerPorts;
}

/** How long the last spans may take to be exported when the process ends, in ms. */
const LAST_SPANS_MS = 3_000;
/** How long the last rows of the request log may take to be written then, in ms. */
const LAST_ROWS_MS = 5_000;

export interface Gateway {
  readonly snapshots: SnapshotHolder;
  readonly logger: Logger;
  /** For the metrics: whether the source of the Snapshot is connected and would receive a newer one. */
  reportSource(connected: boolean): void;
  /** What a parent of workers reports of this process. */
  readonly budgets: Pick<Budgets, 'usage' | 'seed'>;
  readonly limits: LimitsStatus;
  /** All metrics of this process, for the sums over several. */
  metricReport(): Promise<MetricReport>;
  /** Opens both listeners; resolves with their ports, 0 for the admin port that a worker does not have. */
  listen(): Promise<{ readonly port: number; readonly adminPort: number }>;
  /** Unready at once, finishes what is in flight, then closes. */
  drain(): Promise<void>;
  /** Closes now: what is in flight is cut. */
  close(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { settings, variables, worker } = options;
  const logger = options.logger ?? createLogger({ level: settings.logLevel, service: settings.serviceName });
  if (worker === undefined) reportUnserved(variables, logger);
  const budget = createByteBudget(bufferLimit(settings, worker?.processes), () => metrics.bufferRefused.add({}));
  const metrics: Metrics = openMetrics(settings, budget);
  const catalogue = createCatalogue();
  const snapshots = createSnapshotHolder({ providers: PROVIDERS, caps: settings.savedCaps, catalogue });
  const telemetry = { metrics, logger };
  observeSnapshots(snapshots, telemetry);
  const tracing = tracingFor(settings, { ...telemetry, version: VERSION });
  const requestLog =
    options.requestLog ?? openRequestLog(settings, { ...telemetry, variables, snapshots, store: options.logStore });
  const recorder = openRecorder(options, { ...telemetry, tracing, requestLog });
  const drain = createDrain(settings.drain);
  const batches = openBatches(settings, {
    ...{ variables, recorder, snapshots, budget, drain, logger, spans: tracing?.rules, timing: options.batchTiming },
    pipeline: () => pipeline,
    ports: () => ports,
    counted: () => ({ budgets: ports.budgets, store: stateful.budgetStore }),
  });
  const ingest = openIngest(settings, requestLog, (...charges) => ports.budgets.reserve(...charges));
  const own = { batches, ingest };
  const given = { variables, budget, snapshots, recorder, budgetStore: options.budgetStore, ...own };
  const showsBodies = tracing?.showsContent === true;
  const maxBodyBytes = requestLog === undefined && !showsBodies ? 0 : settings.logBodyBytes;
  const stateful = createPipelinePorts(settings, {
    ...{ ...telemetry, state: worker?.state, ...given, maxBodyBytes, showsBodies, requestLog },
  });
  const { ports, limitsStatus: limits } = stateful;
  const pipeline = createPipeline(ports);
  const realtime = openRealtime(settings, { ...telemetry, pipeline, snapshots, recorder, budget, tracing });
  const main = openMain(options, {
    ...{ ...telemetry, pipeline, snapshots, recorder, drain, budget, catalogue, upgrades: realtime },
    counters: stateful.countersServer,
    records: stateful.recordsServer,
    spans: tracing?.rules,
  });
  const admin = worker === undefined ? openAdmin(options, { snapshots, metrics, drain, ports, limits }) : undefined;

  const close = async (): Promise<void> => {
    realtime.close();
    const stopped = batches.stop();
    drain.abort(new AppError('DRAINING'));
    await Promise.all([main.closeNow(), admin?.closeNow(), stopped]);
    await batches.close();
    await Promise.all([stateful.close(), tracing?.close(LAST_SPANS_MS), requestLog?.close(LAST_ROWS_MS)]);
  };
  return {
    snapshots,
    logger,
    reportSource: (connected) => metrics.snapshotSourceConnected.set(connected ? 1 : 0),
    budgets: ports.budgets,
    limits,
    metricReport: metrics.report,
    listen: async () => {
      const adminPort = (await admin?.listen()) ?? 0;
      const port = await main.listen();
      batches.start();
      return { port, adminPort };
    },
    drain: async () => {
      const stopped = batches.stop();
      await drain.run(main.stopAccepting);
      await stopped;
      await close();
    },
    close,
  };
}

type MainParts = Omit<MainListenerPorts, 'version' | 'metricsText' | 'management' | 'random' | 'onRead' | 'metrics'> & {
  readonly metrics: Metrics;
};

function openMain({ settings, worker, metricsOnMain, management }: GatewayOptions, parts: MainParts): Listener {
  const { budget, metrics } = parts;
  return createMainListener(
    {
      address: { host: settings.listen.host, port: settings.listen.port },
      tls: settings.tls,
      cors: settings.cors,
      headerAliases: settings.headerAliases,
      limits: { ...settings.limits, maxJsonBytes: Math.min(settings.limits.maxJsonBytes, largestPart(budget)) },
    },
    {
      ...parts,
      version: VERSION,
      metricsText: metricsOnMain === true && settings.metrics ? (worker?.metricsText ?? metrics.text) : undefined,
      management,
      random: Math.random,
      onRead: collectorOfReads(),
    },
  );
}

type RealtimeParts = Omit<RealtimePorts, 'spans'> & { readonly tracing: Tracing | undefined };

function openRealtime({ realtime }: GatewaySettings, { tracing, ...parts }: RealtimeParts): Realtime {
  // A message is relayed while another one arrives.
  const maxMessageBytes = Math.min(realtime.maxMessageBytes, largestPart(parts.budget));
  return createRealtime({ ...realtime, maxMessageBytes }, { ...parts, spans: tracing?.rules });
}

function openMetrics(settings: GatewaySettings, budget: Pick<ByteBudget, 'used' | 'limit'>): Metrics {
  const metrics = createMetrics({
    service: settings.serviceName,
    environment: settings.environmentName,
    runtime: settings.metrics,
    bufferedBytes: () => budget.used,
  });
  metrics.bufferedBytesLimit.set(budget.limit);
  return metrics;
}

function reportUnserved(variables: Variables, logger: Logger): void {
  const names = unservedVariables(variables);
  if (names.length > 0) logger.warn({ variables: names }, 'Environment variables without effect are set');
}

interface RecorderParts {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly tracing: Tracing | undefined;
  readonly requestLog: RequestLog | undefined;
}

/** The sinks of all records. Each failure of a sink is counted; the first one is logged. */
function openRecorder(
  { settings, sinks = [] }: GatewayOptions,
  { metrics, logger, tracing, requestLog }: RecorderParts,
): Recorder {
  const { headersToMask, headerAliases, logReasons: reasons } = settings;
  return createRecorder({
    headerAliases,
    sinks: [
      createMetricsSink(metrics),
      createLogSink({ logger, headersToMask, reasons }),
      ...(tracing === undefined ? [] : [tracing.sink]),
      ...(requestLog === undefined
        ? []
        : [createRequestLogSink({ log: requestLog, gatewayVersion: VERSION, headersToMask: new Set(headersToMask) })]),
      ...sinks,
    ],
    onSinkError: ({ sink, error, first }) => {
      metrics.sinkErrors.add({ sink });
      if (first) logger.error({ err: error, sink }, 'Record of a request could not be taken by a sink');
    },
  });
}

interface AdminParts extends Pick<AdminPorts, 'snapshots' | 'metrics' | 'limits'> {
  readonly drain: { isDraining(): boolean };
  readonly ports: { readonly budgets: UsageSource };
}

function openAdmin(options: GatewayOptions, { drain, ports, ...parts }: AdminParts): Listener {
  const isAccepting = (): boolean => !drain.isDraining();
  return createAdmin(options.settings, { ...options, ...parts, isAccepting, budgets: ports.budgets });
}

/** The admin listener at the address of the settings. */
export function createAdmin(
  settings: GatewaySettings,
  ports: Pick<AdminPorts, 'snapshots' | 'metrics' | 'isAccepting' | 'limits'> &
    Pick<GatewayOptions, 'adminToken' | 'sourceStatus'> & { readonly budgets?: UsageSource },
): Listener {
  const { adminHost, host, adminPort } = settings.listen;
  const { snapshots, metrics, budgets, limits, isAccepting, adminToken, sourceStatus = () => undefined } = ports;
  return createAdminListener(
    { host: adminHost ?? host, port: adminPort },
    {
      snapshots,
      metrics: settings.metrics ? metrics : undefined,
      usage: budgets === undefined ? undefined : createUsageReports({ source: budgets }),
      version: VERSION,
      isAccepting,
      limits,
      sourceStatus,
      token: adminToken === undefined ? settings.adminToken : new Secret(adminToken),
    },
  );
}

/** Bytes that requests and answers may hold together in one of several processes. */
function bufferLimit({ limits }: GatewaySettings, processes = 1): number {
  const container = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  const heap = getHeapStatistics().heap_size_limit;
  if (limits.maxBufferedBytes > 0) return Math.ceil(limits.maxBufferedBytes / processes);
  return bufferedBytesFor({ container: container / processes, heap });
}

function observeSnapshots(
  snapshots: SnapshotHolder,
  { metrics, logger }: { readonly metrics: Metrics; readonly logger: Logger },
): void {
  snapshots.onChange(({ version, entries, rejected, skipped }) => {
    metrics.snapshotVersion.set(version ?? 0);
    metrics.snapshotEntries.set(entries);
    metrics.snapshotRejected.set(rejected === undefined ? 0 : 1);
    if (rejected === undefined) logger.info({ version, entries, skipped }, 'Snapshot loaded');
    else logger.error({ rejected, serving: version }, 'Snapshot refused, the last good one keeps serving');
  });
}
