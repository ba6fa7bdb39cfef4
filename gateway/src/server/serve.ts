/** One request from node's server through the pipeline and back. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CorsSettings } from '../config/index.ts';
import { AppError, errorProtocolOf, renderError, toAppError } from '../errors/index.ts';
import {
  type Answer,
  type Exchange,
  type HeaderMap,
  type Operation,
  type Pipeline,
  traceOf,
} from '../pipeline/index.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import { type BodyLimits, toClientRequest } from './client-request.ts';
import type { ConnectionPolicy } from './connections.ts';
import { corsHeaders } from './cors.ts';
import { indented } from './pretty.ts';
import { respond } from './respond.ts';
import { type SettlePorts, settle } from './settle.ts';
import type { Defer } from './turn.ts';

export interface ServePorts extends SettlePorts {
  readonly pipeline: Pipeline;
  readonly snapshots: Pick<SnapshotHolder, 'current'>;
  readonly connections: ConnectionPolicy;
  readonly inFlight: InFlight;
  readonly limits: BodyLimits & { readonly keepAliveMs: number };
  readonly cors: CorsSettings | undefined;
  readonly defer: Defer;
}

/** The requests being served, so that a drain can wait for them and, at its deadline, end them. */
export interface InFlight {
  add(controller: AbortController): void;
  remove(controller: AbortController): void;
}

export interface Incoming {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: Operation;
  readonly route: Readonly<Record<string, string>>;
}

export async function serve(ports: ServePorts, { message, response, operation, route }: Incoming): Promise<void> {
  const startedMs = performance.now();
  const request = toClientRequest(message, { route, limits: ports.limits });
  const trace = traceOf(request);
  const snapshot = ports.snapshots.current;
  const cors = corsHeaders(ports.cors, message.headers.origin);
  if (snapshot === undefined) {
    const headers = { ...cors, 'x-gw-trace-id': trace.traceId };
    sendError(response, new AppError('SNAPSHOT_MISSING', { retryAfterMs: 1_000 }), { path: request.path, headers });
    return;
  }
  const controller = new AbortController();
  const exchange: Exchange = { operation, request, snapshot, signal: controller.signal, startedMs, trace };
  ports.inFlight.add(controller);
  ports.metrics.inFlight.inc();
  response.on('close', () => {
    if (!response.writableEnded) controller.abort(new AppError('CLIENT_CLOSED'));
    ports.inFlight.remove(controller); // only now: the last bytes of an answer may be long under way
    ports.metrics.inFlight.dec();
  });
  try {
    const answer = indented(await ports.pipeline.handle(exchange), request);
    Object.assign(answer.headers, cors, { 'x-gw-trace-id': trace.traceId });
    closeIfNeeded(ports, message, answer);
    const { defer, limits } = ports;
    const sent = await respond(response, answer, { defer, signal: controller.signal, keepAliveMs: limits.keepAliveMs });
    settle(ports, exchange, answer, sent);
  } catch (error) {
    ports.logger.error({ err: error, traceId: trace.traceId }, 'Request could not be answered');
    controller.abort(toAppError(error)); // lets go of the upstream
    const headers = { ...cors, 'x-gw-trace-id': trace.traceId };
    sendError(response, toAppError(error), { path: request.path, headers });
  }
}

/** The last answer of a connection says so; an unread body cannot be followed by another request. */
function closeIfNeeded({ connections }: ServePorts, message: IncomingMessage, answer: Answer): void {
  if (message.httpVersionMajor > 1) return;
  const unread = !message.complete && answer.body.kind === 'bytes';
  if (unread || connections.isLast(message.socket)) answer.headers['connection'] = 'close';
}

/** An error outside the pipeline: unknown routes, malformed requests, a gateway without Snapshot. */
export function sendError(
  response: ServerResponse,
  error: AppError,
  { path, headers: more }: { readonly path: string; readonly headers: HeaderMap },
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = renderError(error, errorProtocolOf(path));
  response.writeHead(status, { ...headers, ...more, 'content-length': String(body.length) });
  response.end(body);
}
