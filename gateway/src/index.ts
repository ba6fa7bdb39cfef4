/** The data plane's door: everything a process needs to serve requests from a Snapshot. */
import { randomUUID } from 'node:crypto';
import { networkInterfaces, totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { gatewayPseudonym } from '@gatehouse/crds/hosts';
import type { FastifyInstance } from 'fastify';
import packageJson from '../package.json' with { type: 'json' };
import { bufferedBytesFor, createEnvReader, DEFAULTS, type GatewaySettings, type Variables } from './config/index.ts';
import { AppError } from './errors/index.ts';
import { type ByteBudget, createByteBudget } from './lib/byte-budget.ts';
import { createRegexScheduler } from './lib/regex.ts';
import { Secret } from './lib/secret.ts';
import { createConcurrency, createMemoryLimiter } from './limits/index.ts';
import { checkOverload, createPipeline, createResolver, type PipelinePorts } from './pipeline/index.ts';
import { PROVIDERS } from './providers/register.ts';
import { createProviderServices } from './providers/services.ts';
import { createRecorder, type Recorder, type Sink } from './record/index.ts';
import { createAdmin } from './server/admin.ts';
import { createApp } from './server/app.ts';
import { createCloser } from './server/close.ts';
import { createConnectionPolicy } from './server/connections.ts';
import { createDrain } from './server/drain.ts';
import { createDefer } from './server/turn.ts';
import { createSnapshotHolder, type SnapshotHolder } from './snapshot/index.ts';
import { createStores } from './stores.ts';
import {
  createLogger,
  createLogSink,
  createMetrics,
  createMetricsSink,
  type Logger,
  type Metrics,
} from './telemetry/index.ts';
import { createHostPolicy } from './upstream/host-guard/index.ts';
import { createUpstreamClient } from './upstream/index.ts';

export {
  ENVIRONMENT,
  type GatewaySettings,
  type HeaderRow,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  readEnvironment,
  toSettings,
  type Variables,
} from './config/index.ts';
export { DATA_PLANES } from './providers/register.ts';
export type { RequestRecord, Sink } from './record/index.ts';
export type { SnapshotHolder, SnapshotStatus } from './snapshot/index.ts';
export { createLogger, GAUGES, type Logger, METRICS } from './telemetry/index.ts';
export const VERSION: string = packageJson.version;

export interface GatewayOptions {
  readonly settings: GatewaySettings;
  /** The process environment, for the cloud settings that providers look up by name. */
  readonly variables: Variables;
  readonly logger?: Logger;
  /** Serve /metrics on the main port too (decision 21). */
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
  /** For the metrics: whether the source of the Snapshot would hear of a newer one. */
  reportSource(connected: boolean): void;
  /** Opens both listeners; answers with their ports. */
  listen(): Promise<{ readonly port: number; readonly adminPort: number }>;
  /** Unready at once, finishes what is in flight, then closes (DESIGN section 6 "Drain"). */
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
  const { ports, close: closePorts } = createPorts(settings, { variables, metrics, logger, budget, recorder });
  const drain = createDrain(settings.drain);
  const app: FastifyInstance = createApp(settings, {
    pipeline: createPipeline(ports),
    snapshots,
    recorder,
    metrics,
    logger,
    inFlight: drain.inFlight,
    connections: createConnectionPolicy({
      maxAgeMs: DEFAULTS.maxConnectionAgeMs,
      random: Math.random,
      isDraining: drain.isDraining,
    }),
    budget,
    limits: { ...settings.limits, maxJsonBytes: Math.min(settings.limits.maxJsonBytes, largestPart(budget)) },
    cors: settings.cors,
    defer: createDefer(),
    version: VERSION,
    metricsText: options.metricsOnMain === true && settings.metrics ? () => metrics.text() : undefined,
  });
  const admin = createAdmin({
    snapshots,
    metrics: settings.metrics ? metrics : undefined,
    version: VERSION,
    isAccepting: () => !drain.isDraining(),
    sourceStatus: options.sourceStatus ?? (() => undefined),
    token: options.adminToken === undefined ? settings.adminToken : new Secret(options.adminToken),
  });

  const listeners = { main: createCloser(app), admin: createCloser(admin) };
  const close = async (): Promise<void> => {
    drain.abort(new AppError('DRAINING'));
    await Promise.all([listeners.main.closeNow(), listeners.admin.closeNow()]);
    await closePorts();
  };
  return {
    snapshots,
    logger,
    reportSource: (connected) => metrics.snapshotSourceConnected.set(connected ? 1 : 0),
    listen: async () => {
      await listen(admin, settings.listen.adminHost ?? settings.listen.host, settings.listen.adminPort);
      await listen(app, settings.listen.host, settings.listen.port);
      return { port: portOf(app), adminPort: portOf(admin) };
    },
    drain: async () => {
      await drain.run(listeners.main.stopAccepting);
      await close();
    },
    close,
  };
}

/** The sinks of all records; one that fails is in the metrics each time, and in the log once. */
function openRecorder(
  { settings, sinks = [] }: GatewayOptions,
  { metrics, logger }: Pick<PortOptions, 'metrics' | 'logger'>,
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

interface PortOptions {
  readonly variables: Variables;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly budget: ByteBudget;
  readonly recorder: Recorder;
}

/** Bytes that requests and answers may hold together. */
function bufferLimit({ limits }: GatewaySettings): number {
  const container = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  const heap = getHeapStatistics().heap_size_limit;
  return limits.maxBufferedBytes > 0 ? limits.maxBufferedBytes : bufferedBytesFor({ container, heap });
}

/** The largest body or answer: beside it there must be room for its parsed value and for what is written from it. */
const largestPart = ({ limit }: ByteBudget): number => Math.floor(limit / 3);

function createPorts(
  settings: GatewaySettings,
  { variables, metrics, logger, budget, recorder }: PortOptions,
): { readonly ports: PipelinePorts; close(): Promise<void> } {
  const { limits, listen: own } = settings;
  const now = Date.now;
  const hosts = createHostPolicy({
    trustedCustomHosts: settings.trustedCustomHosts,
    production: settings.production,
    ownAddresses: ownListeners([own.port, own.adminPort]),
    ...(settings.apiServer === undefined ? {} : { apiServer: settings.apiServer }),
    ownNamespaces: settings.ownNamespaces,
  });
  const client = createUpstreamClient({
    hosts,
    connectTimeoutMs: limits.connectTimeoutMs,
    connectionsPerOrigin: limits.connectionsPerOrigin,
    keepAliveMs: DEFAULTS.upstreamKeepAliveMs,
    ca: settings.ca,
    proxy: settings.proxy,
  });
  const stores = createStores(settings, { now, metrics, logger });
  const limiter = createMemoryLimiter();
  const ports: PipelinePorts = {
    limiter,
    concurrency: createConcurrency(limits.maxConcurrentPerKey),
    resolver: createResolver({
      providers: PROVIDERS,
      hosts,
      caps: settings.caps,
      savedConfigsOnly: settings.savedConfigsOnly,
    }),
    attempts: {
      client,
      limits,
      maxResponseBytes: Math.min(limits.maxResponseBytes, largestPart(budget)),
      json: limits.json,
      providers: PROVIDERS,
      hosts,
      servicesFor: createProviderServices({ client, limits, env: createEnvReader(variables), now }),
      cache: stores.cache,
      limiter,
      inputChecks: [],
      answerChecks: [checkOverload],
      needsStreamUsage: recorder.needsStreamUsage,
      gatewayName: gatewayPseudonym(settings.fleetId ?? randomUUID()),
      sleep,
      now,
    },
    sessions: stores.sessions,
    breakers: stores.breakers,
    maxAttempts: limits.maxAttempts,
    regexTurn: createRegexScheduler(),
    sidecarProfile: settings.sidecarProfile,
    random: Math.random,
    now,
  };
  return {
    ports,
    close: async () => {
      await Promise.all([client.close(), limiter.close(), stores.close()]);
    },
  };
}

/** Where this machine could reach our own listeners; a port of 0 is not known yet and stands for tests. */
function ownListeners(ports: readonly number[]): { readonly address: string; readonly port: number }[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
  const listening = ports.filter((port) => port > 0);
  return ['127.0.0.1', ...addresses].flatMap((address) => listening.map((port) => ({ address, port })));
}

/** Resolves after the time; rejects with the reason of the signal. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function observeSnapshots(
  snapshots: SnapshotHolder,
  { metrics, logger }: Pick<PortOptions, 'metrics' | 'logger'>,
): void {
  snapshots.onChange(({ version, entries, rejected, skipped }) => {
    metrics.snapshotVersion.set(version ?? 0);
    metrics.snapshotEntries.set(entries);
    metrics.snapshotRejected.set(rejected === undefined ? 0 : 1);
    if (rejected === undefined) logger.info({ version, entries, skipped }, 'Snapshot loaded');
    else logger.error({ rejected, serving: version }, 'Snapshot refused, the last good one keeps serving');
  });
}

async function listen(app: FastifyInstance, host: string | undefined, port: number): Promise<void> {
  await app.listen({ port, host: host ?? '::' });
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
