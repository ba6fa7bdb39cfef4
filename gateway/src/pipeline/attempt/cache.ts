/** The response cache around one attempt; docs/behaviour/caching.md. */
import {
  type Assembler,
  type CacheKeyParts,
  cacheTtlSeconds,
  createAssembler,
  isCacheEligible,
  type ResponseCache,
  replayAsStream,
  type StreamProtocol,
} from '../../cache/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { type JsonLimits, writeJson } from '../../lib/json/index.ts';
import type { OutgoingRequest } from '../../providers/contract.ts';
import { opensRealtimeSession } from '../../providers/engine/index.ts';
import type { AttemptParts } from '../../record/index.ts';
import type { CachePlan } from '../../routing/index.ts';
import { parseJsonObject, wantsUsageChunk } from '../../wire/openai/index.ts';
import type { AnswerBody, CacheStatus, CacheWriter, HeaderMap } from '../exchange.ts';
import type { Operation } from '../operations/index.ts';
import { namesOwnFields } from '../resolve/index.ts';
import type { AttemptPorts } from './ports.ts';
import { type Prepared, targetIdentity } from './prepare/index.ts';
import { lookUpSimilar, type SemanticCache } from './semantic.ts';

export interface CacheHit {
  readonly status: 'HIT' | 'SEMANTIC HIT';
  readonly headers: HeaderMap;
  readonly body: AnswerBody;
  /** Whether it is sent as a stream. */
  readonly stream: boolean;
}

export interface CacheSession {
  readonly status: CacheStatus | undefined;
  readonly hit: CacheHit | undefined;
  /** Stores a good answer after it was sent; undefined when it is not to be stored. */
  writer(answer: { readonly headers: HeaderMap; readonly stream: boolean }): CacheWriter | undefined;
}

const DISABLED: CacheSession = { status: 'DISABLED', hit: undefined, writer: () => undefined };
/** The installation is the organisation. */
const ORGANISATION = 'default';
/** Client bytes of a stream that are assembled for the cache. */
const MAX_STREAM_BYTES = 4 * 1024 * 1024;
/** In the key of streams that are stored without the usage that their requests ask for. */
const HIDDEN_USAGE = ' without usage';
const NO_BYTES = Buffer.alloc(0);

/** Undefined: streams of the format cannot be stored. */
const storedFormat = ({ streamFormat }: Operation): StreamProtocol | undefined =>
  streamFormat === 'events' ? undefined : streamFormat;

export interface CacheQuestion {
  readonly request: OutgoingRequest;
  /** Gets the time of the look; undefined: nobody asks for it. */
  readonly parts: AttemptParts | undefined;
}

/** Looks the request up; DISABLED when the target has no cache or the operation or body is not cacheable. */
export function openCache(
  { cache, semantic, json }: Pick<AttemptPorts, 'cache' | 'semantic' | 'json'>,
  prepared: Prepared,
  { request, parts }: CacheQuestion,
): CacheSession | Promise<CacheSession> {
  const plan = prepared.leaf.settings.cache;
  if (plan === undefined || !isCacheable(prepared) || givesSecret(prepared, request)) return DISABLED;
  const lookup = { cache, semantic, plan, request, json };
  const look = (): Promise<CacheSession> =>
    parts === undefined ? lookUp(lookup, prepared) : timedLook(lookup, prepared, parts);
  const { steps } = prepared.input.log;
  const step = { kind: 'cache', target: prepared.leaf.path } as const;
  return steps === undefined ? look() : steps.time(step, look, (session) => ({ cache: session?.status }));
}

/** Answers of proxied calls may have a secret. */
export const givesSecret = (
  { operation }: Pick<Prepared, 'operation'>,
  { path }: Pick<OutgoingRequest, 'path'>,
): boolean => operation.handler.endpoint === 'proxy' && opensRealtimeSession(path.split('?', 1)[0] ?? '');

interface Lookup {
  readonly cache: ResponseCache;
  readonly semantic: SemanticCache;
  readonly plan: CachePlan;
  readonly request: OutgoingRequest;
  readonly json: JsonLimits;
}

async function timedLook(lookup: Lookup, prepared: Prepared, parts: AttemptParts): Promise<CacheSession> {
  const startedMs = performance.now();
  const session = await lookUp(lookup, prepared);
  parts.cacheMs = performance.now() - startedMs;
  return session;
}

async function lookUp({ cache, semantic, plan, request, json }: Lookup, prepared: Prepared): Promise<CacheSession> {
  const { exchange, resolution } = prepared.input;
  const { headerOverrides } = resolution;
  const parts = keyPartsOf(request, prepared);
  const lookup = await cache.lookup(parts, { refresh: headerOverrides.cacheRefresh });
  const format = storedFormat(exchange.operation);
  const exact = lookup.status === 'HIT' ? await toHit(lookup.body, prepared, { format, limits: json }) : undefined;
  if (exact !== undefined) return hitSession({ status: 'HIT', ...exact });
  const ttlSeconds = cacheTtlSeconds(plan.maxAgeSeconds, headerOverrides.cacheControl);
  const options = { cache, lookup, parts };
  const isSought = plan.semantic !== undefined && lookup.status !== 'HIT' && lookup.status !== undefined;
  const similar = isSought ? await lookUpSimilar(semantic, prepared, { ...options, plan: plan.semantic }) : undefined;
  const write = (body: Buffer | object, contentType: string | undefined): void => {
    cache.write(lookup, { status: 200, contentType, body, ttlSeconds });
    similar?.remember(ttlSeconds);
  };
  const mayStore = exchange.request.header('x-gw-debug')?.trim().toLowerCase() !== 'false';
  const found = similar?.found;
  const hit = found && (await toHit(found.body, prepared, { format, limits: json }));
  if (found !== undefined && hit !== undefined) {
    // No longer than the answer itself: it was made for another request.
    const left = Math.min(ttlSeconds, found.ttlSeconds);
    const copy = { status: 200, contentType: 'application/json', body: found.body, ttlSeconds: left };
    if (mayStore && left > 0) cache.write(lookup, copy);
    return hitSession({ status: 'SEMANTIC HIT', ...hit });
  }
  return {
    status: similar !== undefined && lookup.status === 'MISS' ? 'SEMANTIC MISS' : lookup.status,
    hit: undefined,
    writer: ({ headers, stream }) => {
      if (!mayStore) return undefined;
      if (!stream) return unaryWriter(write, headers['content-type']);
      return format === undefined ? undefined : streamWriter(write, format, exchange.memory);
    },
  };
}

const hitSession = (hit: CacheHit): CacheSession => ({ status: hit.status, hit, writer: () => undefined });

function keyPartsOf(request: OutgoingRequest, prepared: Prepared): CacheKeyParts {
  const { call, endpoint, input, resolved, headersRead, forwarded, guards } = prepared;
  const { exchange, caller, resolution } = input;
  return {
    organisation: ORGANISATION,
    workspace: caller.workspace.name,
    url: request.origin + request.path + (endpoint?.cacheSalt?.(call) ?? '') + (call.hidesUsage ? HIDDEN_USAGE : ''),
    body: request.body ?? NO_BYTES,
    target: `${resolution.plan.owner} ${targetIdentity(resolved)}`,
    strict: call.strict,
    ...(guards === undefined || guards.hooks.cacheSalt === '' ? {} : { guardrails: guards.hooks.cacheSalt }),
    headers: new Map([...(headersRead ?? []), ...Object.entries(forwarded)]),
    namespace: resolution.headerOverrides.cacheNamespace,
    metadata: exchange.request.header('x-gw-metadata'),
  };
}

function isCacheable(prepared: Prepared): boolean {
  const { exchange, resolution } = prepared.input;
  const { operation, request } = exchange;
  if (!operation.cacheable || resolution.body.kind !== 'json') return false;
  if (operation.door?.isCacheable?.(prepared.params) === false) return false;
  if (resolution.headerOverrides.cacheNamespace !== undefined && changesTheRequest(prepared)) return false;
  const { method, path } = request;
  return isCacheEligible({
    method,
    path,
    contentType: request.header('content-type'),
    adapted: prepared.adaptation !== undefined,
  });
}

/**
 * A namespace is shared by calls with different headers. A call whose headers or config change the request would store its
 * answer for all others of the namespace.
 */
function changesTheRequest({ input, resolved, leaf, forwarded }: Prepared): boolean {
  const { exchange, resolution } = input;
  if (Object.keys(forwarded).length > 0 || resolution.headerOverrides.customHost !== undefined) return true;
  if (resolution.plan.owner === 'client' && resolved.managed !== undefined && leaf.overlay.size > 0) return true;
  return namesOwnFields(resolved.target.provider.id, exchange.request);
}

interface HitOptions {
  readonly format: StreamProtocol | undefined;
  readonly limits: JsonLimits;
}

async function toHit(
  json: Buffer,
  { call, params, guards, strict }: Pick<Prepared, 'call' | 'params' | 'guards' | 'strict'>,
  { format, limits }: HitOptions,
): Promise<Omit<CacheHit, 'status'> | undefined> {
  if (!call.stream) {
    const shown = await guards?.showStored(json, { strict, json: limits });
    const bytes = shown === undefined ? json : writeJson(shown);
    return { headers: { 'content-type': 'application/json' }, body: { kind: 'bytes', bytes }, stream: false };
  }
  const stored = format === undefined ? undefined : parseJsonObject(json.toString('utf8'));
  if (stored === undefined || format === undefined) return undefined;
  const includeUsage = wantsUsageChunk(params);
  const restored = (await guards?.restored(stored)) ?? stored;
  const events = replayAsStream(format, restored, { includeUsage });
  const bytes = Buffer.from((guards?.withResultEvents(format, events, strict) ?? events).join(''));
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: { kind: 'bytes', bytes },
    stream: true,
  };
}

type Write = (body: Buffer | object, contentType: string | undefined) => void;

function unaryWriter(write: Write, contentType: string | string[] | undefined): CacheWriter {
  let body: Buffer = NO_BYTES;
  return {
    push: (bytes) => {
      body = bytes;
    },
    commit: () => write(body, typeof contentType === 'string' ? contentType : undefined),
  };
}

/** A stream without room in memory is not stored; the client gets it all the same. */
function streamWriter(write: Write, format: StreamProtocol, memory: ByteAccount): CacheWriter {
  let assembler: Assembler | undefined = createAssembler(format, MAX_STREAM_BYTES);
  let taken = 0;
  return {
    push: (bytes) => {
      if (assembler === undefined) return;
      if (memory.take(bytes.length)) {
        taken += bytes.length;
        assembler.push(bytes);
        return;
      }
      assembler = undefined;
      memory.give(taken);
    },
    commit: () => {
      const whole = assembler?.finish();
      if (whole !== undefined) write(whole, undefined);
    },
  };
}
