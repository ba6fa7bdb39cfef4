/** A worker process: a gateway that gets its Snapshot from the parent and shares counters through it. */
import {
  createGateway,
  createLogger,
  type Gateway,
  type GatewaySettings,
  readEnvironment,
  toSettings,
  type Variables,
} from '@gatehouse/gateway';
import { createLogChannel, type LogChannel } from './log-channel.ts';
import { createLogStoreClient } from './log-store.ts';
import type { ListenFailure, ParentMessage, WorkerMessage, WorkerSettings } from './messages.ts';
import { createStateClient } from './shared-state/index.ts';
import { createAssembly } from './snapshot-parts.ts';

/** The parts of the process that a worker uses. */
export interface WorkerProcess {
  /** From 1; not used again after its end. */
  readonly id: number;
  readonly variables: Variables;
  send(message: WorkerMessage): void;
  /** Writes log lines; calls `onWritten` when they have left this process. */
  writeLog(text: string, onWritten: () => void): void;
  onMessage(listener: (message: ParentMessage) => void): void;
  /** Signals are for the parent: it drains the workers. */
  ignoreSignals(): void;
  onFault(listener: (error: unknown) => void): void;
  exit(code: number): void;
}

/** How often new counts are told, in ms: what was counted since is lost when the worker crashes. */
const REPORT_EVERY_MS = 1_000;

/** Serves until the parent drains or ends it. */
export function runWorker(process: WorkerProcess): void {
  process.ignoreSignals();
  process.onMessage((first) => {
    if (first.type === 'start') start(process, first.settings);
  });
}

function start(process: WorkerProcess, { processes, management, ...own }: WorkerSettings): void {
  const settings = { ...toSettings(readEnvironment(process.variables)), ...own };
  const { lines, logger } = openLog(process, settings);
  const shared = createStateClient({
    send: (calls) => process.send({ type: 'calls', calls }),
    maxConcurrentPerKey: settings.limits.maxConcurrentPerKey,
    processes,
  });
  const logs = createLogStoreClient((id, call) => process.send({ type: 'log', id, call }));
  let counted = false;
  const onRecord = (): void => {
    counted = true;
  };
  const scrapes = createScrapes(() => process.send({ type: 'scrape' }));
  const gateway = createGateway({
    settings,
    variables: process.variables,
    logger,
    metricsOnMain: true,
    management,
    sinks: [{ name: 'report', record: onRecord }],
    logStore: logs.store,
    worker: {
      processes,
      state: shared.state,
      metricsText: scrapes.text,
    },
  });
  tellLimits(process, gateway);
  const assemble = createAssembly();
  let listening: Promise<void> | undefined;
  setInterval(() => {
    if (counted) void report(process, gateway);
    counted = false;
  }, REPORT_EVERY_MS).unref();
  process.onMessage((message) => {
    switch (message.type) {
      case 'start':
        return;
      case 'entries': {
        const snapshot = assemble(message.part);
        if (snapshot === undefined) return;
        void gateway.snapshots
          .load(message.part.version, snapshot)
          .then((status) => process.send({ type: 'loaded', status }));
        return;
      }
      case 'listen':
        listening = listen(process, gateway);
        return;
      case 'results':
        shared.receive(message.results);
        return;
      case 'logged':
        logs.receive(message.id, message.result);
        return;
      case 'report':
      case 'usage':
      case 'seed':
        void answer(process, gateway, message);
        return;
      case 'scraped':
        scrapes.receive(message.text);
        return;
      case 'drain':
        void Promise.resolve(listening).then(() => drain(process, gateway, lines));
        return;
    }
  });
}

function openLog(process: WorkerProcess, { logLevel: level, serviceName: service }: GatewaySettings) {
  const lines = createLogChannel(process.writeLog);
  const logger = createLogger({ level, service, destination: lines }).child({ worker: process.id });
  process.onFault((error) => logger.error({ err: error }, 'Error was not caught'));
  return { lines, logger };
}

/** Those who ask at the same time get the same answer. */
function createScrapes(ask: () => void) {
  const waiting: ((text: string) => void)[] = [];
  return {
    text: () =>
      new Promise<string>((resolve) => {
        if (waiting.push(resolve) === 1) ask();
      }),
    receive: (text: string): void => {
      for (const resolve of waiting.splice(0)) resolve(text);
    },
  };
}

function tellLimits(process: WorkerProcess, { limits }: Gateway): void {
  const tell = (): void => process.send({ type: 'limits', limits: limits.current() });
  limits.onChange(tell);
  tell();
}

/** Never rejects. */
async function answer(
  process: WorkerProcess,
  gateway: Gateway,
  message: Extract<ParentMessage, { readonly type: 'report' | 'usage' | 'seed' }>,
): Promise<void> {
  if (message.type === 'report') return report(process, gateway);
  if (message.type === 'usage') return process.send({ type: 'usage', usage: gateway.budgets.usage() });
  return gateway.budgets.seed(message.totals);
}

async function listen(process: WorkerProcess, gateway: Gateway): Promise<void> {
  try {
    const { port } = await gateway.listen();
    process.send({ type: 'listening', port });
  } catch (error) {
    process.send({ type: 'failed', failure: toFailure(error) });
  }
}

function toFailure(error: unknown): ListenFailure {
  const { message, code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }; // of `listen`
  return { message, code: code ?? '', address, port };
}

async function report(process: WorkerProcess, gateway: Gateway): Promise<void> {
  process.send({ type: 'report', report: await gateway.metricReport() });
}

async function drain(process: WorkerProcess, gateway: Gateway, lines: LogChannel): Promise<void> {
  await gateway.drain();
  await lines.flush();
  process.exit(0);
}
