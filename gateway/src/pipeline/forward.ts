/** Requests that a sidecar passes on whole to the fleet; docs/behaviour/sidecars.md. */
import { gatewaysOf, toVia, VIA_HEADER } from '@gatehouse/crds/hosts';
import { SIDECAR_PLACEHOLDER_KEY } from '@gatehouse/crds/snapshot';
import { AppError } from '../errors/index.ts';
import type { FleetAddress, FleetLink, FleetRequest } from '../fleet/index.ts';
import { isHopByHop, namedByConnection } from '../lib/header-names.ts';
import type { UpstreamHeaders, UpstreamResponse } from '../upstream/index.ts';
import { newKey, offeredProtocols, PROTOCOL_HEADER, readAnswer, requestHeaders } from '../wire/websocket/index.ts';
import type { AttemptInput } from './attempt/index.ts';
import type { Answer, HeaderMap, PipelineFacts, ProviderConnection, RequestBody } from './exchange.ts';
import { guardrailsNeedFleet } from './guardrails/index.ts';
import { parseMetadata } from './metadata.ts';
import { traceHeaders } from './trace.ts';

/** What a sidecar needs to pass requests on. */
export interface FleetPort {
  readonly link: Pick<FleetLink, 'send' | 'connect'>;
  /** The SidecarProfile, whose entry has the address. */
  readonly profile: string;
}

/** The fleet that gets a request. */
interface Fleet {
  readonly link: FleetPort['link'];
  readonly address: FleetAddress;
}

/** The fleet that gets the request, since a target of its plan or a guardrail needs a credential that only the fleet has, or the log is there. */
export function fleetFor(input: AttemptInput, { link, profile }: FleetPort): Fleet | undefined {
  const { exchange, caller, resolution } = input;
  const { plan, requestProvider } = resolution;
  const address = exchange.snapshot.sidecar(profile)?.fleet;
  if (address === undefined) return undefined;
  const usesOwn = plan.hasPassthrough || plan.needsRequestProvider;
  const isNeeded =
    exchange.operation.bringsRecords === true ||
    plan.needsFleet ||
    plan.prompts.some((name) => promptNeedsFleet(name, input)) ||
    guardrailsNeedFleet(input) ||
    (usesOwn && requestProvider?.kind === 'managed' && requestProvider.record.needsFleet) ||
    plan.slugs.some((slug) => exchange.snapshot.provider(caller.workspace.name, slug)?.needsFleet === true);
  return isNeeded ? { link, address } : undefined;
}

/** Whether the account of a prompt of a target has its credential in the fleet. */
function promptNeedsFleet(name: string, { exchange: { snapshot }, caller: { workspace } }: AttemptInput): boolean {
  const provider = snapshot.prompts.prompt(workspace.name, name)?.template.provider;
  return provider !== undefined && snapshot.provider(workspace.name, provider)?.needsFleet === true;
}

/** Throws NEEDS_FLEET for a request under a guardrail that cannot run here: it is not let through without it. */
export function refuseWithheldGuardrails(input: AttemptInput): void {
  if (!guardrailsNeedFleet(input)) return;
  throw new AppError('NEEDS_FLEET', { detail: 'The credential of a guardrail of the request stays with the fleet' });
}

/** Where a request is passed on. */
interface Destination extends Fleet {
  /** Of this gateway, for the `Via` header. */
  readonly gatewayName: string;
}

/** Largest answer of a fleet that opens no session, in bytes. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * The answer of the fleet as it is. Throws NEEDS_FLEET for a request that another gateway has passed on, and rejects as the link
 * does. `facts`: of the request so far.
 */
export async function passOn(input: AttemptInput, to: Destination, facts: PipelineFacts): Promise<Answer> {
  const { operation, request, memory, signal } = input.exchange;
  if (gatewaysOf(request.header(VIA_HEADER)).length > 0) {
    throw new AppError('NEEDS_FLEET', {
      param: VIA_HEADER,
      detail: 'The request has come through another gateway already and is passed on to a fleet only once',
    });
  }
  if (operation.connects !== true) {
    return answerOf(await to.link.send(to.address, toFleetRequest(input, to.gatewayName), signal), facts);
  }
  const opened = await openSession(input, to);
  if (opened.kind === 'response') {
    const { response } = opened;
    const bytes = await response.body.collect(MAX_REFUSAL_BYTES, memory);
    return { ...answerOf(response, facts), body: { kind: 'bytes', bytes } };
  }
  const { connection } = opened;
  return {
    status: 101,
    headers: answerHeaders(connection.headers),
    body: { kind: 'bytes', bytes: Buffer.alloc(0) },
    facts: { ...facts, stream: true },
    store: undefined,
    connection,
  };
}

const answerOf = (response: UpstreamResponse, facts: PipelineFacts): Answer => ({
  status: response.status,
  headers: answerHeaders(response.headers),
  body: { kind: 'stream', upstream: response.body, transform: undefined },
  facts: { ...facts, stream: isEventStream(response) },
  store: undefined,
});

type OpenedSession =
  | { readonly kind: 'connection'; readonly connection: ProviderConnection }
  /** The fleet has refused it. */
  | { readonly kind: 'response'; readonly response: UpstreamResponse };

/** Rejects with FLEET_UNAVAILABLE for an answer that is no WebSocket, too. */
async function openSession(input: AttemptInput, { link, address, gatewayName }: Destination): Promise<OpenedSession> {
  const { request, signal } = input.exchange;
  const key = newKey();
  const protocols = offeredProtocols(request.header(PROTOCOL_HEADER));
  const asked = toFleetRequest(input, gatewayName);
  const headers = { ...withoutHandshake(asked.headers), ...requestHeaders(key, protocols) };
  const answer = await link.connect(address, { ...asked, method: 'GET', headers, body: undefined }, signal);
  if (answer.kind === 'response') return answer;
  const { socket, headers: given } = answer.connection;
  const read = readAnswer(given, key, protocols);
  if (!read.ok) {
    socket.destroy();
    throw new AppError('FLEET_UNAVAILABLE', { detail: `The fleet did not open the WebSocket: ${read.error}` });
  }
  const { protocol } = read;
  const connection = { socket, headers: withoutHandshake(given), protocol, ...JUDGED_BY_FLEET };
  return { kind: 'connection', connection };
}

/** The fleet checks events and callers, and counts and records what happens. */
const JUDGED_BY_FLEET = {
  isForwarded: true,
  checkEvent: undefined,
  refusal: () => undefined,
  hold: undefined,
  holdNext: () => undefined,
} as const;

/** Each connection has a handshake of its own. */
const withoutHandshake = <T>(headers: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('sec-websocket-')));

function toFleetRequest(input: AttemptInput, gatewayName: string): FleetRequest {
  const { request } = input.exchange;
  // The fleet renders a saved prompt itself.
  const body = input.resolution.prompt?.clientBody ?? input.resolution.body;
  const query = request.query === '' ? '' : `?${request.query}`;
  const headers = { ...headersFor(input), ...defaultsOf(input), [VIA_HEADER]: toVia([gatewayName]) };
  return {
    method: request.method,
    path: request.path + query,
    headers: withLength(headers, body),
    body: bytesOf(body),
  };
}

/** Of the span of the request here: that of the fleet is another one. */
const OF_SPAN: ReadonlySet<string> = new Set(['x-gw-span-id', 'traceparent', 'tracestate']);
/** Written anew for the fleet. */
const PER_HOST: ReadonlySet<string> = new Set(['host', 'expect', 'x-gw-api-key']);
const BEARER_PLACEHOLDER = `Bearer ${SIDECAR_PLACEHOLDER_KEY}`.toLowerCase();

/** All headers of the client but those of its connection and the placeholders for a key. */
function headersFor({ exchange: { request, trace } }: AttemptInput): Record<string, string> {
  const out: Record<string, string> = { 'x-gw-trace-id': trace.traceId };
  const { span } = trace;
  const named = namedByConnection(request.header('connection'));
  for (const [name, value] of request.headers()) {
    if (named.has(name) || isHopByHop(name) || PER_HOST.has(name) || isPlaceholder(value)) continue;
    if (span === undefined || !OF_SPAN.has(name)) out[name] = value;
  }
  return span === undefined ? out : Object.assign(out, traceHeaders(span, span.spanId));
}

const isPlaceholder = (value: string): boolean =>
  value === SIDECAR_PLACEHOLDER_KEY || value.trim().replace(/ +/g, ' ').toLowerCase() === BEARER_PLACEHOLDER;

/** The defaults of the profile, which the fleet does not know: its default config, and its metadata over that of the request. */
function defaultsOf({ exchange: { request }, caller: { key } }: AttemptInput): Record<string, string> {
  const { config, metadata } = key.defaults;
  const laidOver = metadata && { ...parseMetadata(request.header('x-gw-metadata')), ...metadata };
  return {
    ...(config === undefined ? {} : { 'x-gw-default-config': config }),
    ...(laidOver === undefined ? {} : { 'x-gw-metadata': inAscii(JSON.stringify(laidOver)) }),
  };
}

/** JSON without characters that no header can carry. */
const inAscii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

function withLength(headers: Record<string, string>, body: RequestBody): Record<string, string> {
  const bytes = body.kind === 'form' || body.kind === 'binary' ? body.source.bytes : undefined;
  return bytes === undefined ? headers : { ...headers, 'content-length': String(bytes) };
}

function bytesOf(body: RequestBody): FleetRequest['body'] {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'json':
      return body.bytes;
    case 'form':
    case 'binary':
      return body.source.open();
  }
}

/** The headers of the fleet's answer: none of its connection, and none about its listener. */
function answerHeaders(headers: UpstreamHeaders): HeaderMap {
  const out: HeaderMap = {};
  const named = namedByConnection(headers['connection']);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || named.has(name) || name.startsWith('access-control-')) continue;
    if (name === 'content-length' || !isHopByHop(name)) out[name] = value;
  }
  return out;
}

const isEventStream = ({ headers }: UpstreamResponse): boolean =>
  String(headers['content-type']).startsWith('text/event-stream');
