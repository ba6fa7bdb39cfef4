import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import packageJson from '../../package.json' with { type: 'json' };
import { bufferedBytesFor, type GatewaySettings, type Variables } from '../config/index.ts';
import { AppError } from '../errors/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import { Secret } from '../lib/secret.ts';
import { createAdminListener, createDrain, createMainListener } from '../listener/index.ts';
import { createPipeline } from '../pipeline/index.ts';
import { PROVIDERS } from '../providers/register.ts';
import { createRecorder, type Recorder, type Sink } from '../record/index.ts';
import { createSnapshotHolder, type SnapshotHolder } from '../snapshot/index.ts';
import {
  createLogger,
  createLogSink,
  createMetrics,
  createMetricsSink,
  type Logger,
  type Metrics,
} from '../telemetry/index.ts';
import { createPipelinePorts, largestPart } from './pipeline-ports.ts';

/** Of this package. */
export const VERSION: string = packageJson.version;

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
  /** What the source of the Snapshot adds to /internal/status. */
  readonly sourceStatus?: () => object | undefined;
}

export interface Gateway {
  readonly snapshots: SnapshotHolder;
  readonly logger: Logger;
  /** For the metrics: whether the source of the Snapshot is connected and would receive a newer one. */
  reportSource(connected: boolean): void;
  /** Opens both listeners; resolves with their ports. */
  listen(): Promise<{ readonly port: number; readonly adminPort: number }>;
  /** Unready at once, finishes what is in flight, then closes. */
  drain(): Promise<void>;
  /** Closes now: what is in flight is cut. */
  close(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { settings, variables } = options;
  const logger = options.logger ?? createLogger({ level: settings.logLevel, service: settings.serviceName });
  const budget = createByteBudget(bufferLimit(settings), () => metrics.bufferRefused.add({}));
  const metrics: Metrics = createMetrics({
    service: settings.serviceName,
    environment: settings.environmentName,
    runtime: settings.metrics,
    bufferedBytes: () => budget.used,
  });
  metrics.bufferedBytesLimit.set(budget.limit);
  const snapshots = createSnapshotHolder({ providers: PROVIDERS });
  observeSnapshots(snapshots, { metrics, logger });

  const recorder = openRecorder(options, { metrics, logger });
  const { ports, close: closePorts } = createPipelinePorts(settings, { variables, metrics, logger, budget, recorder });
  const drain = createDrain(settings.drain);
  const main = createMainListener(
    {
      address: { host: settings.listen.host, port: settings.listen.port },
      tls: settings.tls,
      cors: settings.cors,
      limits: { ...settings.limits, maxJsonBytes: Math.min(settings.limits.maxJsonBytes, largestPart(budget)) },
    },
    {
      pipeline: createPipeline(ports),
      snapshots,
      recorder,
      metrics,
      logger,
      drain,
      budget,
      upgrades: undefined, // no protocol but HTTP yet; the realtime API is refused (400)
      version: VERSION,
      metricsText: options.metricsOnMain === true && settings.metrics ? () => metrics.text() : undefined,
      random: Math.random,
    },
  );
  const admin = createAdminListener(
    { host: settings.listen.adminHost ?? settings.listen.host, port: settings.listen.adminPort },
    {
      snapshots,
      metrics: settings.metrics ? metrics : undefined,
      version: VERSION,
      isAccepting: () => !drain.isDraining(),
      sourceStatus: options.sourceStatus ?? (() => undefined),
      token: options.adminToken === undefined ? settings.adminToken : new Secret(options.adminToken),
    },
  );

  const close = async (): Promise<void> => {
    drain.abort(new AppError('DRAINING'));
    await Promise.all([main.closeNow(), admin.closeNow()]);
    await closePorts();
  };
  return {
    snapshots,
    logger,
    reportSource: (connected) => metrics.snapshotSourceConnected.set(connected ? 1 : 0),
    listen: async () => {
      const adminPort = await admin.listen();
      return { port: await main.listen(), adminPort };
    },
    drain: async () => {
      await drain.run(main.stopAccepting);
      await close();
    },
    close,
  };
}

/** The sinks of all records. Each failure of a sink is counted; the first one is logged. */
function openRecorder(
  { settings, sinks = [] }: GatewayOptions,
  { metrics, logger }: { readonly metrics: Metrics; readonly logger: Logger },
): Recorder {
  const { headersToMask } = settings;
  return createRecorder({
    sinks: [createMetricsSink(metrics), createLogSink({ logger, headersToMask }), ...sinks],
    onSinkError: ({ sink, error, first }) => {
      metrics.sinkErrors.add({ sink });
      if (first) logger.error({ err: error, sink }, 'Record of a request could not be taken by a sink');
    },
  });
}

/** Bytes that requests and answers may hold together. */
function bufferLimit({ limits }: GatewaySettings): number {
  const container = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  const heap = getHeapStatistics().heap_size_limit;
  return limits.maxBufferedBytes > 0 ? limits.maxBufferedBytes : bufferedBytesFor({ container, heap });
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
