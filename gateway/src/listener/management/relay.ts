/** Passes requests of the management API on to the process that serves it; docs/behaviour/management.md. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { CLIENT_ADDRESS_HEADER, MANAGEMENT_PREFIXES, MAX_REST_BODY_BYTES } from '@gatehouse/crds/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/index.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import { type HeaderMap, type KeyLookup, ROUTES } from '../../pipeline/index.ts';
import { askForBody } from '../body/asked-body.ts';
import { endUnread } from '../body/unread-body.ts';
import type { InFlight } from '../serve.ts';
import { failureOf, type ManagementAddress, openRequest } from './address.ts';
import { type Refusal, refusalOf, refusalOfBody } from './gate.ts';

export interface ManagementPorts {
  readonly inFlight: InFlight;
  readonly snapshots: { readonly current: KeyLookup | undefined };
  /** What every answer has: trace id, headers for browsers. */
  headersOf(request: FastifyRequest): HeaderMap;
  fail(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** All but those that the gateway serves on the path itself. */
const methodsOf = (url: string): string[] =>
  METHODS.filter((method) => !ROUTES.some((route) => route.path === url && route.method === method));

/** Routes for all its paths. They know no operations: an unknown path is refused where the operations are known. */
export function addManagement(app: FastifyInstance, address: ManagementAddress, ports: ManagementPorts): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    const snapshot = ports.snapshots.current;
    if (snapshot === undefined) throw new AppError('SNAPSHOT_MISSING', { retryAfterMs: 1_000 });
    const refusal = refusalOf(request, snapshot, Date.now());
    if (refusal === undefined) relay(request, reply, { address, ports });
    else answerRefusal(request, reply, { refusal, ports });
  };
  for (const prefix of MANAGEMENT_PREFIXES) {
    app.route({ method: methodsOf(`/v1/${prefix}`), url: `/v1/${prefix}`, handler });
    app.route({ method: METHODS, url: `/v1/${prefix}/*`, handler });
  }
}

/** The body of the request is not read. */
function answerRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  { refusal, ports }: { readonly refusal: Refusal; readonly ports: ManagementPorts },
): void {
  const response = reply.raw as ServerResponse; // HTTP/2 requests and answers have the same members
  reply.hijack();
  endUnread(request.raw as IncomingMessage, response); // as above
  response.writeHead(refusal.status, {
    ...ports.headersOf(request),
    'content-type': refusal.contentType,
    'content-length': Buffer.byteLength(refusal.body),
  });
  response.end(refusal.body);
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
  const { method, url: path } = request;
  const own = ports.headersOf(request);
  const headers = { ...endToEnd(message.headers), ...protocolOf(message), ...identityOf(message, own) };
  const upstream = openRequest(address, { method, path, headers });
  let isRefused = false;
  const refuse = (answer: () => void): void => {
    if (isRefused) return;
    isRefused = true;
    upstream.destroy();
    if (response.headersSent || response.destroyed) response.destroy();
    else answer();
  };
  ports.inFlight.add(cancellation);
  cancellation.onCancel(() => upstream.destroy());
  response.on('close', () => {
    ports.inFlight.remove(cancellation);
    upstream.destroy();
  });
  upstream.on('error', (error) => {
    const detail = `The management API gives no answer: ${failureOf(error)}`;
    refuse(() => ports.fail(new AppError('MANAGEMENT_UNAVAILABLE', { detail, cause: error }), request, reply));
  });
  upstream.on('response', (answer) => {
    answer.on('error', () => response.destroy());
    endUnread(message, response);
    response.writeHead(answer.statusCode ?? 502, { ...endToEnd(answer.headers), ...own });
    answer.pipe(response);
  });
  const refuseBody = (): void =>
    refuse(() => answerRefusal(request, reply, { refusal: refusalOfBody(request), ports }));
  if (Number(message.headers['content-length'] ?? 0) > MAX_REST_BODY_BYTES) {
    refuseBody();
    return;
  }
  let bytes = 0;
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_REST_BODY_BYTES) refuseBody();
  });
  askForBody(message);
  message.pipe(upstream);
}

/** How the caller has reached the gateway, where nothing before it has said so: links to the API begin with it. */
const protocolOf = ({ headers, socket }: IncomingMessage): OutgoingHttpHeaders =>
  headers['x-forwarded-proto'] === undefined ? { 'x-forwarded-proto': 'encrypted' in socket ? 'https' : 'http' } : {};

/** The id that the answer has, and the other end of the connection: what the caller says of them counts for nothing. */
const identityOf = ({ socket }: IncomingMessage, { 'x-gw-trace-id': id }: HeaderMap): OutgoingHttpHeaders => ({
  'x-gw-trace-id': id,
  [CLIENT_ADDRESS_HEADER]: socket.remoteAddress ?? '',
});

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
