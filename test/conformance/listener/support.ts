/** A listener with a scripted pipeline behind it, and clients that write their bytes by hand. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createCatalogue } from '../../../gateway/src/cost/index.ts';
import { AppError, renderError } from '../../../gateway/src/errors/index.ts';
import { type ByteBudget, createByteBudget } from '../../../gateway/src/lib/byte-budget.ts';
import { DEFAULT_JSON_LIMITS } from '../../../gateway/src/lib/json/index.ts';
import {
  createDrain,
  createMainListener,
  type Drain,
  type Listener,
  type MainListenerSettings,
  type UpgradeHandler,
} from '../../../gateway/src/listener/index.ts';
import type { Answer, Exchange } from '../../../gateway/src/pipeline/index.ts';
import { createSnapshotHolder } from '../../../gateway/src/snapshot/index.ts';
import { createLogger, createMetrics } from '../../../gateway/src/telemetry/index.ts';
import { BodyRelay } from '../../../gateway/src/upstream/index.ts';
import { NO_FACTS } from '../../kit/no-facts.ts';
import { snapshot, workspace } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const LOGGER = createLogger({ level: 'silent', service: 's' });

export interface Variant {
  readonly name: string;
  readonly create: typeof createMainListener;
}

/** The listeners that the suite is run with; a new one is a row. */
export const VARIANTS: readonly Variant[] = [{ name: 'fastify', create: createMainListener }];

export const CHAT = '/v1/chat/completions';
/** A path whose body is streamed to the pipeline. */
export const UPLOAD = '/v1/upload';

/** The bytes of a request with a JSON body; `headers` are lines with their line breaks. */
export const post = (path: string, body: string, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;

/** Clients may pause in their bodies: on a busy machine all do. */
export const LIMITS: MainListenerSettings['limits'] = {
  maxJsonBytes: 64 * 1024,
  maxFormBytes: 1_000_000,
  formModelBytes: 1_000_000,
  json: DEFAULT_JSON_LIMITS,
  replayBytes: 1024,
  keepAliveMs: 0,
  progress: { idleMs: 0, minBytesPerSecond: 0 },
};

export interface Bench extends AsyncDisposable {
  readonly listener: Listener;
  readonly drain: Drain;
  readonly port: number;
  readonly url: string;
  /** What the pipeline was given. */
  readonly exchanges: readonly Exchange[];
  /** What all requests together hold in memory. */
  readonly budget: ByteBudget;
}

export interface BenchOptions {
  readonly handle?: (exchange: Exchange) => Promise<Answer>;
  readonly upgrades?: UpgradeHandler;
  readonly settings?: Partial<MainListenerSettings>;
  readonly drainMs?: number;
}

export async function open({ create }: Variant, options: BenchOptions = {}): Promise<Bench> {
  const snapshots = createSnapshotHolder({ providers: new Map() });
  await snapshots.load(1, snapshot(workspace()));
  const drain = createDrain({ acceptMs: 0, deadlineMs: options.drainMs ?? 0 });
  const exchanges: Exchange[] = [];
  const { handle = echo } = options;
  const budget = createByteBudget(64 * 1024 * 1024);
  const listener = create(
    {
      address: { host: '127.0.0.1', port: 0 },
      tls: undefined,
      cors: undefined,
      headerAliases: [],
      limits: LIMITS,
      ...options.settings,
    },
    {
      pipeline: {
        // As the real one does, it answers errors and never rejects.
        handle: (exchange) => {
          exchanges.push(exchange);
          return handle(exchange).catch((error: unknown) => failed(error));
        },
      },
      snapshots,
      recorder: { finish: () => {} },
      metrics: createMetrics({ service: 's', environment: 'e', runtime: false }),
      logger: LOGGER,
      budget,
      drain,
      upgrades: options.upgrades,
      catalogue: createCatalogue(),
      version: 'test',
      metricsText: undefined,
      random: () => 0.5,
    },
  );
  const port = await listener.listen();
  const scheme = options.settings?.tls === undefined ? 'http' : 'https';
  return {
    listener,
    drain,
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    exchanges,
    budget,
    [Symbol.asyncDispose]: async () => {
      drain.abort(new AppError('DRAINING'));
      await listener.closeNow();
    },
  };
}

export const text = (body: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: { kind: 'bytes', bytes: Buffer.from(body) },
  facts: NO_FACTS,
  store: undefined,
});

/** Answers with the JSON that came, or with the bytes of another body. */
export async function echo({ request, operation }: Exchange): Promise<Answer> {
  const body = await request.readBody(operation.bodies);
  return text(body.kind === 'json' ? JSON.stringify(body.value) : body.kind);
}

/** Reads the body and answers with the query. */
export async function query({ request, operation }: Exchange): Promise<Answer> {
  await request.readBody(operation.bodies);
  return text(request.query);
}

function failed(error: unknown): Answer {
  const { status, headers, body } = renderError(error instanceof AppError ? error : new AppError('INTERNAL'), 'openai');
  return { ...text(''), status, headers, body: { kind: 'bytes', bytes: body } };
}

/** An answer that streams what the test pushes. */
export function streaming(): { readonly answer: Answer; readonly body: BodyRelay; readonly flow: string[] } {
  const flow: string[] = [];
  const body = new BodyRelay({
    pause: () => void flow.push('pause'),
    resume: () => void flow.push('resume'),
    abort: () => void flow.push('abort'),
  });
  const answer: Answer = { ...text(''), body: { kind: 'stream', upstream: body, transform: undefined } };
  return { answer, body, flow };
}

/** Whether nothing listens on the port. */
export function refusesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}

export interface RawClient extends Disposable {
  readonly socket: Socket;
  write(bytes: string): void;
  /** Everything received so far. */
  received(): string;
  /** Resolves when so much of the text has been received. */
  until(part: string): Promise<string>;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<unknown>;
}

export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.on('error', () => {}); // a cut connection is part of the tests
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    received: () => received,
    until: async (part) => {
      await waitFor(() => received.includes(part), { what: JSON.stringify(part) });
      return received;
    },
    closed,
    [Symbol.dispose]: () => socket.destroy(),
  };
}
