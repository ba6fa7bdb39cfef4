/**
 * One rung as a process: RUNG, UPSTREAM (base URL) and SNAPSHOT (an entry per line). Its first message has the port; each
 * message to it is answered with the bytes it has allocated so far.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { getHeapStatistics } from 'node:v8';
import { type AnyEntry, SCHEMA_VERSION } from '@gatehouse/crds/snapshot';
import { createPipelinePorts } from '../../../gateway/src/app/pipeline-ports.ts';
import { openRequestLog } from '../../../gateway/src/app/request-log.ts';
import { type GatewaySettings, readEnvironment, toSettings } from '../../../gateway/src/config/index.ts';
import { createCatalogue } from '../../../gateway/src/cost/index.ts';
import { createByteBudget } from '../../../gateway/src/lib/byte-budget.ts';
import { createDrain, createMainListener } from '../../../gateway/src/listener/index.ts';
import { createPipeline, type PipelinePorts } from '../../../gateway/src/pipeline/index.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import { createRecorder, type Recorder } from '../../../gateway/src/record/index.ts';
import { createRequestLogSink } from '../../../gateway/src/request-log/index.ts';
import { createSnapshotHolder } from '../../../gateway/src/snapshot/index.ts';
import { createLogger, createLogSink, createMetrics, createMetricsSink } from '../../../gateway/src/telemetry/index.ts';
import { createPartialPipeline } from './partial-pipeline.ts';
import { includes, RUNGS, type Rung } from './rungs.ts';
import { serveWithFastify, serveWithNode } from './simple.ts';

export interface RungReady {
  readonly port: number;
}

export interface RungAllocated {
  /** In the JavaScript heap since the start. */
  readonly allocatedBytes: number;
}

const rung = RUNGS.find(({ name }) => name === process.env['RUNG'])?.name ?? 'log';
const base = new URL(process.env['UPSTREAM'] ?? '');
const upstream = { origin: base.origin, path: `${base.pathname}/chat/completions` };
const settings = toSettings(readEnvironment(process.env));
const logger = createLogger({ level: settings.logLevel, service: settings.serviceName });
const metrics = createMetrics({
  service: settings.serviceName,
  environment: settings.environmentName,
  runtime: false,
  bufferedBytes: () => budget.used,
});
const budget = createByteBudget(1024 ** 3, () => metrics.bufferRefused.add({}));
const snapshots = createSnapshotHolder({ providers: PROVIDERS });
const requestLog = openRequestLog(settings, { metrics, logger, variables: process.env, store: undefined, snapshots });
const recorder = createRungRecorder(rung);
const { ports } = createPipelinePorts(settings, {
  variables: process.env,
  ...{ metrics, logger, budget, snapshots, recorder, requestLog },
  maxBodyBytes: requestLog === undefined ? 0 : settings.logBodyBytes,
});

function createRungRecorder(name: Rung): Recorder {
  const { headersToMask } = settings;
  const sinks = [
    ...(includes(name, 'metrics') ? [createMetricsSink(metrics)] : []),
    ...(includes(name, 'log') ? [createLogSink({ logger, headersToMask })] : []),
    ...(requestLog === undefined
      ? []
      : [createRequestLogSink({ log: requestLog, gatewayVersion: 'bench', headersToMask: new Set(headersToMask) })]),
  ];
  if (sinks.length === 0) return { needsStreamUsage: () => false, finish: () => undefined, watched: () => undefined };
  return createRecorder({ sinks, onSinkError: ({ error }) => logger.error({ err: error }, 'Sink failed') });
}

async function serve(name: Rung, of: GatewaySettings, pipelinePorts: PipelinePorts): Promise<number> {
  const options = { ports: pipelinePorts, settings: of, upstream };
  if (name === 'client') return serveWithNode(options);
  if (name === 'framework') return serveWithFastify(options);
  const entries: AnyEntry[] = [];
  const lines = createInterface({ input: createReadStream(process.env['SNAPSHOT'] ?? '') });
  for await (const line of lines) entries.push(JSON.parse(line));
  await snapshots.load(1, { schemaVersion: SCHEMA_VERSION, entries });
  const pipeline = includes(name, 'attempt')
    ? createPipeline(pipelinePorts)
    : createPartialPipeline({ rung: name, ports: pipelinePorts, upstream });
  const listener = createMainListener(
    { address: { host: '127.0.0.1', port: 0 }, tls: undefined, cors: undefined, headerAliases: [], limits: of.limits },
    {
      pipeline,
      snapshots,
      recorder,
      metrics,
      logger,
      drain: createDrain(of.drain),
      budget,
      upgrades: undefined,
      catalogue: createCatalogue(),
      version: 'bench',
      metricsText: undefined,
      random: Math.random,
    },
  );
  return listener.listen();
}

process.once('disconnect', () => process.exit(0));
process.on('message', () => {
  const answer: RungAllocated = { allocatedBytes: getHeapStatistics().total_allocated_bytes };
  process.send?.(answer);
});
const ready: RungReady = { port: await serve(rung, settings, ports) };
process.send?.(ready);
