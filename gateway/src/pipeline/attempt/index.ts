/** The steps of one target, in the order of behaviour-lifecycle 1.11. */
import type { ResponseCache } from '../../cache/index.ts';
import { AppError, memoryExhausted, toAppError } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { writeJson } from '../../lib/json/index.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import type { Call, Endpoint, OutgoingRequest, Provider, ProviderServices } from '../../providers/contract.ts';
import { buildProxyRequest, buildRequest, framingOf } from '../../providers/engine/index.ts';
import { type Leaf, shapeParams } from '../../routing/index.ts';
import type { HostPolicy } from '../../upstream/host-guard/index.ts';
import type { HostScope, UpstreamRequest, UpstreamResponse } from '../../upstream/index.ts';
import type { CacheStatus, Caller, Exchange, StreamedBody } from '../exchange.ts';
import type { Resolution } from '../resolve/index.ts';
import { viaHeaders } from '../via.ts';
import { isBelow } from './addressee.ts';
import { decoded, isEncoded, isEventStream } from './answer.ts';
import { openCacheSession } from './cache.ts';
import { createCall, modelOf } from './call.ts';
import type { CallBudget } from './call-budget.ts';
import { clientAnswer, failedAnswer, streamOutcome, unaryOutcome } from './client-answer.ts';
import { startDeadline } from './deadline.ts';
import { listUpstreamModels } from './models.ts';
import { withOffers } from './offers.ts';
import { type AttemptOutcome, renderFor } from './outcome.ts';
import { isOverloaded } from './overload.ts';
import { clientHeaders, type Forwarding, forwardedHeaders } from './proxy-headers.ts';
import { type SendPort, type SendResult, sendWithRetries } from './send.ts';
import { type ResolvedTarget, resolveTarget } from './target.ts';

export type { AttemptOutcome } from './outcome.ts';
export type { SendPort } from './send.ts';

export interface AttemptPorts extends SendPort {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly hosts: HostPolicy;
  /** Side calls of an account go where the account's own calls may go. */
  servicesFor(origin: HostScope, memory: ByteAccount): ProviderServices;
  readonly cache: ResponseCache;
  /** Tells hosts that somebody named who asks, so that what comes back is known. */
  readonly gatewayName: string;
  now(): number;
}

export interface AttemptInput {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly resolution: Resolution;
  /** What the request may still cause, over all targets. */
  readonly calls: CallBudget;
}

/** Everything the later steps of one attempt share. */
interface Prepared {
  readonly input: AttemptInput;
  readonly leaf: Leaf;
  readonly resolved: ResolvedTarget;
  readonly provider: Provider;
  readonly endpoint: Endpoint | undefined;
  readonly call: Call;
  readonly forwarded: Readonly<Record<string, string>>;
  /** Headers of the call that the provider's hooks have read. */
  readonly heard: ReadonlyMap<string, string>;
  /** What a host that somebody named is told; it may be one of ours. */
  readonly via: Readonly<Record<string, string>> | undefined;
  /** The headers of the last call, for what its answer may repeat. */
  readonly sent: { headers: Readonly<Record<string, string>> };
}

/** What an outcome says of its target before anything was sent. */
type Base = Pick<AttemptOutcome, 'leaf' | 'provider' | 'model'>;

/** Tries one target. Never rejects: whatever goes wrong is an outcome with a status. */
export async function attemptTarget(ports: AttemptPorts, input: AttemptInput, leaf: Leaf): Promise<AttemptOutcome> {
  let base: Base = { leaf, provider: undefined, model: modelOf(input.resolution.params) };
  try {
    const prepared = prepare(ports, input, leaf);
    base = { leaf, provider: prepared.provider.id, model: prepared.call.model };
    return await run(ports, prepared, base);
  } catch (error) {
    return failed(withOffers(toAppError(error), input), { base, input });
  }
}

function prepare(ports: AttemptPorts, input: AttemptInput, leaf: Leaf): Prepared {
  const { exchange, caller, resolution } = input;
  const params = shapeParams(resolution.params, leaf.settings.shape);
  const model = modelOf(params);
  const { request, snapshot, operation } = exchange;
  const { providers, hosts } = ports;
  const asked = { operation, params, model, nowMs: ports.now() };
  const resolved = resolveTarget(leaf, { providers, hosts, request, caller, snapshot, resolution, ...asked });
  const { provider, fields, stored, ownIdentity } = resolved.target;
  const strict = leaf.settings.strict && !resolution.overrides.relaxed;
  const { keyHeaders } = caller;
  const heard = new Map<string, string>();
  const call = createCall(exchange, {
    provider: provider.id,
    params,
    model,
    strict,
    fields,
    stored,
    ownIdentity,
    keyHeaders,
    heard,
    now: ports.now,
  });
  const endpoint =
    operation.id === 'proxy' || operation.id === 'listModels' ? undefined : provider.endpoints[operation.id];
  const forwarded = forwardedHeaders({ request, caller, snapshot }, forwardingOf(leaf, resolution, resolved));
  const via = resolved.target.namedHost ? viaHeaders(request, ports.gatewayName) : undefined;
  return { input, leaf, resolved, provider, endpoint, call, forwarded, heard, via, sent: { headers: {} } };
}

/** What is passed on, and whether those who name it may put a credential beside the one that is stored. */
function forwardingOf(leaf: Leaf, { overrides, plan }: Resolution, { storedBy }: ResolvedTarget): Forwarding {
  const asked = overrides.forwardHeaders;
  const namedBy = asked === undefined ? plan.owner : 'client';
  return {
    names: asked ?? leaf.settings.forwardHeaders,
    credentials: storedBy === undefined || !isBelow(namedBy, storedBy),
  };
}

async function run(ports: AttemptPorts, prepared: Prepared, base: Base): Promise<AttemptOutcome> {
  if (prepared.call.operation === 'listModels') {
    return toOutcome(ports, prepared, { sent: await sendModels(ports, prepared), base, cacheStatus: undefined });
  }
  const { input, leaf, call } = prepared;
  const built = firstRequest(ports, prepared);
  const first = built instanceof Promise ? await built : built;
  const opened = openCacheSession({
    ...prepared,
    ...input,
    cache: ports.cache,
    plan: leaf.settings.cache,
    request: first,
  });
  const session = opened instanceof Promise ? await opened : opened;
  if (session.hit !== undefined) {
    const { headers, body } = session.hit;
    return { ...base, ...HIT, headers, body, stream: call.stream };
  }
  const sent = await send(ports, prepared, first);
  const outcome = await toOutcome(ports, prepared, { sent, base, cacheStatus: session.status });
  const store = outcome.status === 200 && outcome.error === undefined ? session.writer(outcome) : undefined;
  return store === undefined ? outcome : { ...outcome, store };
}

const HIT = {
  status: 200,
  fallback: 'status',
  error: undefined,
  retries: 0,
  calls: 0,
  upstreamMs: 0,
  cacheStatus: 'HIT',
  store: undefined,
} as const;

/** Made before the cache is asked. Credentials may have to be fetched for it, which the request timeout covers, too. */
function firstRequest(ports: AttemptPorts, prepared: Prepared): OutgoingRequest | Promise<OutgoingRequest> {
  const deadline = startDeadline(prepared.input.exchange.signal, sendSettings(prepared).requestTimeoutMs);
  let built: OutgoingRequest | Promise<OutgoingRequest> | undefined;
  try {
    built = outgoing(ports, prepared, deadline.signal);
  } finally {
    if (!(built instanceof Promise)) deadline.clear();
  }
  return built instanceof Promise ? untilAborted(built, deadline.signal).finally(deadline.clear) : built;
}

function outgoing(
  ports: AttemptPorts,
  { input, resolved, call, forwarded }: Prepared,
  signal: AbortSignal,
): OutgoingRequest | Promise<OutgoingRequest> {
  const { exchange, resolution } = input;
  const context = { forwarded, services: servicesOf(ports, { input, resolved }), signal };
  const { body } = resolution;
  if (exchange.operation.id !== 'proxy') {
    const rawBody = body.kind === 'json' && body.value === call.params ? body.bytes : undefined;
    return buildRequest(resolved.target, call, { ...context, rawBody });
  }
  const bytes = body.kind === 'json' ? jsonBytes(body, call) : undefined;
  return buildProxyRequest(resolved.target, call, {
    ...context,
    method: exchange.request.method,
    headers: clientHeaders({ ...exchange, caller: input.caller }),
    body: bytes,
  });
}

/** What side calls bring is held by the request: files go into the body that is written for the provider. */
function servicesOf(ports: AttemptPorts, { input, resolved }: Pick<Prepared, 'input' | 'resolved'>): ProviderServices {
  return ports.servicesFor(resolved.hostOrigin, input.exchange.memory);
}

const jsonBytes = (body: { readonly bytes: Buffer; readonly value: object }, call: Call): Buffer =>
  body.value === call.params ? body.bytes : writeJson(call.params);

/** Retry and timeout of a target, where the request's own timeout wins. */
const sendSettings = ({ leaf, input }: Prepared) => ({
  retry: leaf.settings.retry,
  requestTimeoutMs: input.resolution.overrides.requestTimeoutMs ?? leaf.settings.requestTimeoutMs,
});

function send(ports: AttemptPorts, prepared: Prepared, first: OutgoingRequest): Promise<SendResult> {
  const { input, resolved } = prepared;
  const { body } = input.resolution;
  const streamed = body.kind === 'streamed' ? body.source : undefined;
  const { memory } = input.exchange;
  const finish = (built: OutgoingRequest): UpstreamRequest => {
    const isCopy = built.body !== undefined && !(body.kind === 'json' && built.body === body.bytes);
    if (isCopy && !memory.take(built.body.length)) throw memoryExhausted();
    return toUpstream(built, prepared, streamed);
  };
  let next: OutgoingRequest | undefined = first;
  return sendWithRetries(ports, {
    signal: input.exchange.signal,
    settings: sendSettings(prepared),
    calls: input.calls,
    memory,
    request: (signal) => {
      const built = next ?? outgoing(ports, prepared, signal);
      next = undefined;
      return built instanceof Promise ? built.then(finish) : finish(built);
    },
    replayable: () => body.kind !== 'streamed' || body.source.replayable,
    isStream: (response) => isRelayed(prepared, response),
    inspect: async (response) => {
      if (!resolved.managed?.inspectStreamForOverload) return undefined;
      return (await isOverloaded(prepared.provider, response)) ? new AppError('UPSTREAM_OVERLOADED') : undefined;
    },
  });
}

async function sendModels(ports: AttemptPorts, prepared: Prepared): Promise<SendResult> {
  const { input, resolved, call, forwarded } = prepared;
  const { signal, memory } = input.exchange;
  let retries = 0;
  let calls = 0;
  let upstreamMs = 0;
  const result = await listUpstreamModels({
    target: resolved.target,
    call,
    forwarded,
    services: servicesOf(ports, prepared),
    signal,
    json: ports.json,
    send: async (request) => {
      const sent = await sendWithRetries(ports, {
        signal,
        settings: sendSettings(prepared),
        calls: input.calls,
        memory,
        request: async () => toUpstream({ ...(await request()), body: undefined }, prepared),
        replayable: () => true,
        isStream: () => false,
        inspect: async () => undefined,
      });
      retries = sent.retries < 0 ? sent.retries : retries + sent.retries;
      calls += sent.calls;
      upstreamMs += sent.upstreamMs;
      const { result: page } = sent;
      return page.kind === 'unary'
        ? { ...page, ...(await decoded(page, { maxBytes: ports.maxResponseBytes, memory })) }
        : page;
    },
  });
  return { result, retries, calls, upstreamMs };
}

function toUpstream(
  { method, origin, path, headers: given, body }: Omit<UpstreamRequest, 'hostOrigin'>,
  { resolved: { hostOrigin }, via, sent }: Prepared,
  streamed?: StreamedBody,
): UpstreamRequest {
  const length = streamed?.bytes === undefined ? undefined : { 'content-length': String(streamed.bytes) };
  const headers = { ...given, ...via, ...length };
  sent.headers = headers;
  return { method, origin, path, headers, body: streamed?.open() ?? body, hostOrigin };
}

/**
 * Streams are relayed only with status 200, and as the bytes they are: one in an encoding nobody asked for is read whole.
 * Proxied answers are relayed whenever they are good (behaviour-streaming 8.1).
 */
function isRelayed({ call, endpoint }: Prepared, response: UpstreamResponse): boolean {
  if (call.operation === 'proxy') return response.status >= 200 && response.status <= 299;
  const rule = endpoint?.stream;
  if (!call.stream || response.status !== 200 || rule === undefined || isEncoded(response)) return false;
  return isEventStream(response) || (rule.kind === 'decode' && framingOf(rule, call) !== 'sse');
}

interface Sent {
  readonly sent: SendResult;
  readonly base: Base;
  readonly cacheStatus: CacheStatus | undefined;
}

async function toOutcome(
  ports: AttemptPorts,
  prepared: Prepared,
  { sent, base, cacheStatus }: Sent,
): Promise<AttemptOutcome> {
  const { result, ...counts } = sent;
  const facts = { ...base, ...counts, cacheStatus, store: undefined };
  if (result.kind === 'error') return failed(result.error, { base, input: prepared.input, ...counts, cacheStatus });
  if (result.kind === 'stream') return { ...facts, ...streamOutcome(prepared, result.response) };
  const { memory } = prepared.input.exchange;
  const limits = { maxBytes: ports.maxResponseBytes, memory };
  const isGood = result.status >= 200 && result.status <= 299;
  const asItIs = prepared.call.operation === 'proxy' && isGood;
  const answer = !asItIs && isEncoded(result) ? await decoded(result, limits) : result;
  const given = isGood ? clientAnswer(prepared, { ...answer, json: ports.json }) : failedAnswer(prepared, answer);
  if (given.bytes !== answer.bytes) {
    memory.give(answer.bytes.length);
    if (!memory.take(given.bytes.length)) throw memoryExhausted();
  }
  return { ...facts, ...unaryOutcome(answer.status, given) };
}

interface Failure {
  readonly base: Base;
  readonly input: AttemptInput;
  readonly retries?: number;
  readonly calls?: number;
  readonly upstreamMs?: number;
  readonly cacheStatus?: CacheStatus | undefined;
}

function failed(error: AppError, { base, input, cacheStatus, ...counts }: Failure): AttemptOutcome {
  const { retries = 0, calls = 0, upstreamMs = 0 } = counts;
  const { status, headers, body } = renderFor(error, input.exchange);
  return {
    ...base,
    provider: base.provider ?? error.provider,
    status,
    fallback: error.row.fallback,
    headers: { ...headers },
    body: { kind: 'bytes', bytes: body },
    error,
    retries,
    calls,
    upstreamMs,
    cacheStatus,
    stream: false,
    store: undefined,
  };
}
