/** Takes one request of node's server through the pipeline and writes the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CorsSettings } from '../config/index.ts';
import { AppError, type ErrorFormat, renderError, type Spell, toAppError } from '../errors/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import { Cancellation } from '../lib/cancellation.ts';
import type { OnRead } from '../lib/read-memory.ts';
import {
  type Exchange,
  errorFormatOf,
  type HeaderMap,
  type Operation,
  type Pipeline,
  type SpanRules,
  traceOf,
} from '../pipeline/index.ts';
import { loggedTraceId, type Recorder, type Settlement, type Spent } from '../record/index.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { addCorsHeaders } from './answer/cors.ts';
import { identify } from './answer/identify.ts';
import { indented } from './answer/pretty.ts';
import { respond } from './answer/respond.ts';
import type { BatchWrite } from './answer/write-batch.ts';
import { type BodyLimits, ServedRequest } from './body/client-request.ts';
import { endUnread } from './body/unread-body.ts';
import type { ConnectionPolicy } from './connections/maximum-age.ts';

export interface ServePorts {
  readonly pipeline: Pipeline;
  readonly recorder: Pick<Recorder, 'finish'>;
  readonly metrics: Pick<Metrics, 'inFlight' | 'openStreams'>;
  readonly logger: Logger;
  readonly snapshots: Pick<SnapshotHolder, 'current'>;
  readonly connections: ConnectionPolicy;
  readonly inFlight: InFlight;
  /** Bounds the bytes that requests hold. */
  readonly budget: ByteBudget;
  /** Undefined: no spans are made. */
  readonly spans?: SpanRules | undefined;
  readonly limits: BodyLimits & { readonly keepAliveMs: number };
  readonly cors: CorsSettings | undefined;
  readonly batch: BatchWrite;
  /** Told of each piece of a body that is sent on while it arrives. */
  readonly onRead?: OnRead | undefined;
}

/** The requests being served, so that a drain can wait for them and, at its deadline, end them. */
export interface InFlight {
  add(cancellation: Cancellation): void;
  remove(cancellation: Cancellation): void;
}

export interface Incoming {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: Operation;
  readonly route: Readonly<Record<string, string>>;
}

export async function serve(ports: ServePorts, { message, response, operation, route }: Incoming): Promise<void> {
  const startedMs = performance.now();
  const bodyMemory = ports.budget.open();
  const request = new ServedRequest(message, { route, limits: ports.limits, memory: bodyMemory, onRead: ports.onRead });
  const trace = traceOf(request, ports.spans);
  const addHeaders = (headers: HeaderMap): HeaderMap => {
    if (ports.cors !== undefined) addCorsHeaders(headers, ports.cors, message.headers.origin);
    return identify(headers, trace.traceId, operation.errors);
  };
  const refuse = (error: AppError): void => {
    endUnread(message, response);
    const spell: Spell = (text) => request.spelled(text);
    sendError(response, error, { format: errorFormatOf(operation, request), headers: addHeaders({}), spell });
  };
  const snapshot = ports.snapshots.current;
  if (snapshot === undefined) {
    refuse(new AppError('SNAPSHOT_MISSING', { retryAfterMs: 1_000 }));
    return;
  }
  const memory = ports.budget.open();
  const cancellation = new Cancellation();
  const tasks: (() => void)[] = [];
  const exchange: Exchange = {
    operation,
    request,
    snapshot,
    signal: cancellation,
    atEnd: (task) => void tasks.push(task),
    memory,
    startedMs,
    trace,
  };
  let isStream = false;
  let settlement: Settlement | undefined;
  ports.inFlight.add(cancellation);
  ports.metrics.inFlight.inc();
  response.on('close', () => {
    if (!response.writableEnded) cancellation.cancel(new AppError('CLIENT_CLOSED'));
    bodyMemory.close();
    memory.close();
    ports.inFlight.remove(cancellation); // only now: the last bytes of an answer may take long
    ports.metrics.inFlight.dec();
    if (isStream) ports.metrics.openStreams.dec();
    for (const task of tasks) task();
  });
  try {
    const answer = indented(await ports.pipeline.handle(exchange), request);
    settlement = answer.facts.settlement;
    if (answer.body.kind === 'stream') {
      isStream = !cancellation.cancelled;
      if (isStream) ports.metrics.openStreams.inc();
      memory.clear(); // the provider's request has been sent
      if (answer.body.held !== undefined) memory.take(answer.body.held);
      request.releaseBytes();
    } else {
      endUnread(message, response);
    }
    addHeaders(answer.headers);
    if (message.httpVersionMajor < 2 && ports.connections.isLast(message.socket, startedMs))
      answer.headers['connection'] = 'close';
    const { batch, limits } = ports;
    const sent = await respond(response, answer, { batch, signal: cancellation, keepAliveMs: limits.keepAliveMs });
    ports.recorder.finish({ exchange, answer, sent });
  } catch (error) {
    ports.logger.error({ err: error, traceId: loggedTraceId(exchange) }, 'Request could not be answered');
    const reason = toAppError(error);
    cancellation.cancel(reason); // ends the upstream call
    settlement?.settle(UNSENT);
    refuse(reason);
  }
}

interface ErrorContext {
  readonly format: ErrorFormat;
  readonly headers: HeaderMap;
  /** Writes the names of headers as the client has them. */
  readonly spell: Spell;
}

/** A provider's answer that could not be sent on: what it used is not known. */
const UNSENT: Spent = { status: 200, usage: undefined, cost: undefined };

/** An error outside the pipeline: unknown routes, malformed requests, a gateway without Snapshot. */
export function sendError(
  response: ServerResponse,
  error: AppError,
  { format, headers: more, spell }: ErrorContext,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = renderError(error, format, spell);
  response.writeHead(status, { ...headers, ...more, 'content-length': String(body.length) });
  response.end(body);
}
