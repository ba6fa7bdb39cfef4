/**
 * Everything of the gateway between its listener and the client of its provider, as one process over the SNAPSHOT (an entry per
 * line): the pipeline, record, metrics and log line, and a request log in the ClickHouse at LOG_URL, with bodies of BODY_BYTES. Each
 * message to it is answered with what REQUESTS requests have cost, until they are written.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { type AnyEntry, SCHEMA_VERSION } from '@gatehouse/crds/snapshot';
import { createPipelinePorts } from '../../../gateway/src/app/pipeline-ports.ts';
import { readEnvironment, toSettings } from '../../../gateway/src/config/index.ts';
import { createByteBudget } from '../../../gateway/src/lib/byte-budget.ts';
import { createPipeline, type PipelinePorts } from '../../../gateway/src/pipeline/index.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import { createRecorder } from '../../../gateway/src/record/index.ts';
import { createSnapshotHolder } from '../../../gateway/src/snapshot/index.ts';
import { createLogger, createLogSink, createMetrics, createMetricsSink } from '../../../gateway/src/telemetry/index.ts';
import { keySecret } from '../peers/gatehouse/entries.ts';
import { createAnsweringClient } from './answering-client.ts';
import { openMeasuredLog } from './request-log.ts';
import { createServing } from './serving.ts';

export interface CpuReady {
  readonly entries: number;
}

/** Of one request. */
export interface CpuCost {
  readonly cpuUs: number;
  /** In the JavaScript heap. */
  readonly allocatedBytes: number;
}

/** Requests that are under way together, as in the closed loop. */
const TOGETHER = 64;

const settings = toSettings(readEnvironment(process.env));
const logger = createLogger({ level: settings.logLevel, service: settings.serviceName });
const metrics = createMetrics({
  service: settings.serviceName,
  environment: settings.environmentName,
  runtime: false,
  bufferedBytes: () => budget.used,
});
const budget = createByteBudget(1024 ** 3, () => metrics.bufferRefused.add({}));
const { LOG_URL: logUrl, BODY_BYTES: bodyBytes } = process.env;
const log = logUrl === undefined ? undefined : openMeasuredLog(logUrl, { metrics, logger });
const recorder = createRecorder({
  sinks: [
    createMetricsSink(metrics),
    createLogSink({ logger, headersToMask: settings.headersToMask }),
    ...(log === undefined ? [] : [log.sink]),
  ],
  onSinkError: ({ error }) => {
    throw error;
  },
});
const snapshots = createSnapshotHolder({ providers: PROVIDERS });
const { ports } = createPipelinePorts(settings, {
  variables: process.env,
  ...{ metrics, logger, budget, snapshots, recorder, requestLog: log?.requestLog },
  maxBodyBytes: Number(bodyBytes ?? 0),
});

async function load(path: string): Promise<number> {
  const entries: AnyEntry[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) entries.push(JSON.parse(line));
  const status = await snapshots.load(1, { schemaVersion: SCHEMA_VERSION, entries });
  if (status.rejected !== undefined || status.skipped.length > 0) throw new Error(JSON.stringify(status));
  return status.entries;
}

const answering: PipelinePorts = { ...ports, attempts: { ...ports.attempts, client: createAnsweringClient() } };
const serve = createServing({
  pipeline: createPipeline(answering),
  recorder,
  budget,
  json: settings.limits.json,
  key: keySecret(1),
});

async function measure(requests: number): Promise<CpuCost> {
  const allocated = getHeapStatistics().total_allocated_bytes;
  const before = process.cpuUsage();
  for (let left = requests; left > 0; left -= TOGETHER) {
    const snapshot = snapshots.current;
    if (snapshot === undefined) throw new Error('there is a Snapshot');
    await Promise.all(Array.from({ length: Math.min(left, TOGETHER) }, () => serve(snapshot)));
    await setImmediate(); // the log is written
  }
  await log?.settled();
  const { user, system } = process.cpuUsage(before);
  const allocatedBytes = (getHeapStatistics().total_allocated_bytes - allocated) / requests;
  return { cpuUs: (user + system) / requests, allocatedBytes };
}

process.once('disconnect', () => process.exit(0));
process.on('message', async () => {
  const cost = await measure(Number(process.env['REQUESTS']));
  process.send?.(cost);
});
const ready: CpuReady = { entries: await load(process.env['SNAPSHOT'] ?? '') };
process.send?.(ready);
