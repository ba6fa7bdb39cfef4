/** Passes requests of the management API on to the process that serves it; docs/behaviour/management.md. */
import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp, type ServerResponse } from 'node:http';
import { MANAGEMENT_PREFIXES, MAX_REST_BODY_BYTES } from '@gatehouse/crds/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors/index.ts';
import { Cancellation } from '../lib/cancellation.ts';
import type { HeaderMap } from '../pipeline/index.ts';
import { endUnread } from './body/unread-body.ts';
import type { InFlight } from './serve.ts';

/** Where the management API is served. */
export interface ManagementAddress {
  /** A socket in the file system that only this user can open. */
  readonly socketPath: string;
}

export interface ManagementPorts {
  readonly inFlight: InFlight;
  /** What every answer has: trace id, headers for browsers. */
  headersOf(request: FastifyRequest): HeaderMap;
  fail(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** Longer than the management API takes at most, in ms. */
const ANSWER_MS = 60_000;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** Routes for all its paths. They know no operations: an unknown path is refused where the operations are known. */
export function addManagement(app: FastifyInstance, address: ManagementAddress, ports: ManagementPorts): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    relay(request, reply, { address, ports });
  };
  for (const prefix of MANAGEMENT_PREFIXES) {
    app.route({ method: METHODS, url: `/v1/${prefix}`, handler });
    app.route({ method: METHODS, url: `/v1/${prefix}/*`, handler });
  }
}

interface Way {
  readonly address: ManagementAddress;
  readonly ports: ManagementPorts;
}

/** Streams the body there and the answer back. */
function relay(request: FastifyRequest, reply: FastifyReply, { address, ports }: Way): void {
  const message = request.raw as IncomingMessage; // HTTP/2 requests and answers have the same members
  const response = reply.raw as ServerResponse; // as above
  reply.hijack();
  const cancellation = new Cancellation();
  const upstream = requestHttp({
    ...address,
    method: request.method,
    path: request.url,
    headers: endToEnd(message.headers),
    timeout: ANSWER_MS,
  });
  let isRefused = false;
  const refuse = (error: AppError): void => {
    if (isRefused) return;
    isRefused = true;
    upstream.destroy();
    if (response.headersSent || response.destroyed) response.destroy();
    else ports.fail(error, request, reply);
  };
  ports.inFlight.add(cancellation);
  cancellation.onCancel(() => upstream.destroy());
  response.on('close', () => {
    ports.inFlight.remove(cancellation);
    upstream.destroy();
  });
  upstream.on('timeout', () => upstream.destroy(new Error('no answer in time')));
  upstream.on('error', () => refuse(new AppError('MANAGEMENT_UNAVAILABLE')));
  upstream.on('response', (answer) => {
    answer.on('error', () => response.destroy());
    endUnread(message, response);
    response.writeHead(answer.statusCode ?? 502, { ...endToEnd(answer.headers), ...ports.headersOf(request) });
    answer.pipe(response);
  });
  if (Number(message.headers['content-length'] ?? 0) > MAX_REST_BODY_BYTES) {
    refuse(new AppError('BODY_TOO_LARGE'));
    return;
  }
  let bytes = 0;
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_REST_BODY_BYTES) refuse(new AppError('BODY_TOO_LARGE'));
  });
  message.pipe(upstream);
}

/** Headers of one connection (RFC 9110, section 7.6.1), and what the server answers itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Without those of one connection, and without the pseudo headers of HTTP/2. */
function endToEnd(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const named = String(headers['connection'] ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith(':') && !HOP_BY_HOP.has(name) && !named.includes(name)),
  );
}
