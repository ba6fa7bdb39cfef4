/** Serves the realtime API: the request of a client goes through the pipeline and, with a provider found, becomes a session. */
import { randomUUID } from 'node:crypto';
import type { RealtimeSettings } from '../config/index.ts';
import { AppError, type RenderedError, renderError, toAppError } from '../errors/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { UpgradedConnection, UpgradeHandler, UpgradeRequest } from '../listener/index.ts';
import {
  type Answer,
  type Exchange,
  type HeaderMap,
  OPERATIONS,
  type Pipeline,
  type SpanRules,
  traceOf,
} from '../pipeline/index.ts';
import { loggedTraceId, type Recorder } from '../record/index.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { acceptOf, asksForWebSocket, CLOSE, handshakeProblem, PROTOCOL_HEADER } from '../wire/websocket/index.ts';
import { toClientRequest } from './client-request.ts';
import { Session } from './session.ts';

export interface RealtimePorts {
  readonly pipeline: Pipeline;
  readonly recorder: Pick<Recorder, 'finish'>;
  readonly metrics: Pick<Metrics, 'inFlight' | 'openStreams'>;
  readonly logger: Pick<Logger, 'error'>;
  readonly snapshots: Pick<SnapshotHolder, 'current'>;
  /** Bounds the bytes that sessions hold. */
  readonly budget: ByteBudget;
  /** Undefined: no spans are made. */
  readonly spans: SpanRules | undefined;
}

export interface Realtime extends UpgradeHandler {
  /** Stops the clock of the sessions. */
  close(): void;
}

const PATH = '/v1/realtime';
/** How often sessions are looked at, in ms. */
const TICK_MS = 1_000;

export function createRealtime(settings: RealtimeSettings, ports: RealtimePorts): Realtime {
  const sessions = new Set<Session>();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const session of sessions) session.tick(nowMs, ports.snapshots.current);
  }, TICK_MS).unref();
  return {
    accept: (request) => {
      const path = request.path.endsWith('/') ? request.path.slice(0, -1) : request.path;
      if (request.method !== 'GET' || path !== PATH || !asksForWebSocket(request)) return undefined;
      return (connection) => {
        const opening = new Opening(ports, settings, { request, connection, sessions });
        void opening.run();
      };
    },
    close: () => clearInterval(timer),
  };
}

interface Asked {
  readonly request: UpgradeRequest;
  readonly connection: UpgradedConnection;
  readonly sessions: Set<Session>;
}

/** A request on its way to a session. */
class Opening {
  readonly #ports: RealtimePorts;
  readonly #settings: RealtimeSettings;
  readonly #asked: Asked;
  readonly #startedMs = performance.now();
  readonly #tasks: (() => void)[] = [];
  #session: Session | undefined;

  constructor(ports: RealtimePorts, settings: RealtimeSettings, asked: Asked) {
    this.#ports = ports;
    this.#settings = settings;
    this.#asked = asked;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { metrics, logger } = this.#ports;
    const { connection } = this.#asked;
    const memory = this.#ports.budget.open();
    metrics.inFlight.inc();
    this.#tasks.push(
      () => memory.close(),
      () => metrics.inFlight.dec(),
    );
    // Now, so that the last bytes of a session are written before the connection is ended.
    connection.signal.onCancel(() => this.#cancelled());
    let traceId: string = randomUUID();
    let logged = traceId;
    try {
      const exchange = this.#exchange(memory);
      traceId = exchange.trace.traceId;
      logged = loggedTraceId(exchange);
      const answer = await this.#ports.pipeline.handle(exchange);
      if (answer.connection === undefined) this.#refuse(exchange, answer);
      else this.#open(exchange, answer, answer.connection);
    } catch (error) {
      const reason = toAppError(error);
      if (reason.code === 'INTERNAL')
        logger.error({ err: error, traceId: logged }, 'Request for a session could not be answered');
      const { status, headers, body } = renderError(reason, 'openai');
      connection.refuse({ status, headers: identified(headers, traceId), body });
      this.#end();
    }
  }

  #exchange(memory: Exchange['memory']): Exchange {
    const { request, connection } = this.#asked;
    const snapshot = this.#ports.snapshots.current;
    if (snapshot === undefined) throw new AppError('SNAPSHOT_MISSING', { retryAfterMs: 1_000 });
    const problem = handshakeProblem(request);
    if (problem !== undefined) throw new AppError('HEADER_INVALID', problem);
    const own = toClientRequest(request);
    return {
      operation: OPERATIONS.realtime,
      request: own,
      snapshot,
      signal: connection.signal,
      atEnd: (task) => void this.#tasks.push(task),
      memory,
      startedMs: this.#startedMs,
      trace: traceOf(own, this.#ports.spans),
    };
  }

  #refuse(exchange: Exchange, answer: Answer): void {
    const { connection } = this.#asked;
    const { body, status } = answer;
    if (body.kind === 'stream') body.upstream.discard();
    const bytes = body.kind === 'bytes' ? body.bytes : Buffer.alloc(0);
    connection.refuse({ status, headers: identified(answer.headers, exchange.trace.traceId), body: bytes });
    const error = connection.signal.cancelled ? toAppError(connection.signal.reason) : undefined;
    this.#ports.recorder.finish({
      exchange,
      answer,
      sent: { firstByteMs: performance.now(), bytes: bytes.length, error },
    });
    this.#end();
  }

  #open(exchange: Exchange, answer: Answer, upstream: NonNullable<Answer['connection']>): void {
    const { connection, request, sessions } = this.#asked;
    const { openStreams } = this.#ports.metrics;
    connection.switchProtocols({
      upgrade: 'websocket',
      'sec-websocket-accept': acceptOf(request.header('sec-websocket-key')?.trim() ?? ''),
      ...(upstream.protocol === undefined ? {} : { [PROTOCOL_HEADER]: upstream.protocol }),
      ...flat(identified(answer.headers, exchange.trace.traceId)),
    });
    openStreams.inc();
    const session = new Session(
      { settings: this.#settings, recorder: this.#ports.recorder },
      {
        ...{ exchange, answer, connection: upstream, client: connection.socket },
        onEnd: () => {
          sessions.delete(session);
          connection.leaving.offCancel(leave);
          openStreams.dec();
          this.#end();
        },
      },
    );
    this.#session = session;
    const leave = (): void => session.leave();
    sessions.add(session);
    session.start();
    connection.leaving.onCancel(leave);
  }

  #cancelled(): void {
    const reason = toAppError(this.#asked.connection.signal.reason);
    if (reason.code !== 'CLIENT_CLOSED') this.#session?.end(reason, CLOSE.goingAway);
  }

  #end(): void {
    for (const task of this.#tasks.splice(0)) task();
  }
}

function identified(headers: RenderedError['headers'] | HeaderMap, traceId: string): HeaderMap {
  const own: HeaderMap = { ...headers, 'x-gw-trace-id': traceId };
  own['x-request-id'] ??= traceId;
  return own;
}

const flat = (headers: HeaderMap): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
