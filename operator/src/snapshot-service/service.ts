import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import {
  type AnyEntry,
  KEYS_AUDIENCE,
  KEYS_STREAM_PATH,
  SNAPSHOT_AUDIENCE,
  SNAPSHOT_HAVE_PARAM,
  SNAPSHOT_STREAM_PATH,
} from '@gatehouse/crds/snapshot';
import { type BudgetRow, OBJECT_USAGE_PATH, type ObjectUsage } from '@gatehouse/crds/usage';
import { type Certificates, tlsOf } from '../certificates/index.ts';
import { ApiError, type Clock, type KubeClient, type Log, systemClock } from '../runtime/index.ts';
import { EMPTY_SNAPSHOT, type SidecarSnapshot } from '../translate/index.ts';
import type { Caller } from './claims.ts';
import { createKeyStreams, type KeyStreams } from './key-streams.ts';
import { openStream, type SidecarStream, type StreamOptions } from './stream.ts';
import { EMPTY_STREAM_LIMITS, hasRoom, type StreamLimits } from './stream-limits.ts';
import { createTokens, type Tokens } from './tokens.ts';

export interface SnapshotServiceOptions {
  readonly certificates: Pick<Certificates, 'current' | 'subscribe'>;
  /** Default: all addresses. */
  readonly host?: string;
  /** 9090 in a cluster; 0 takes any free one. */
  readonly port: number;
  /** For TokenReviews; separate, since senders of tokens determine its load. */
  readonly client: Pick<KubeClient, 'create'>;
  /**
   * Whether sidecars of a namespace may connect: it is labelled for injection, or has sidecars that have to learn that it no
   * longer is.
   */
  readonly admits: (namespace: string) => boolean;
  /**
   * The Snapshot for sidecars in a namespace, which may be empty; undefined while it is unknown. The same object as long as its
   * content is the same.
   */
  readonly snapshotFor: (namespace: string) => SidecarSnapshot | undefined;
  /** Whether a stream may start with the Snapshot; if not, the sidecar keeps what it has and tries another replica. */
  readonly startsWith?: (namespace: string, snapshot: SidecarSnapshot) => boolean;
  /** The management API, which is sent the keys; absent: nobody is. */
  readonly keys?: KeyReader | undefined;
  /** Called after it may have changed. */
  readonly subscribe: (listener: () => void) => Disposable;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Streams at the same time, except those with an empty Snapshot. Default 10,000, and 2,000 per namespace. */
  readonly maxStreams?: number;
  readonly maxStreamsPerNamespace?: number;
  /** Between pings; the contract allows 30 s. Default 20 s. */
  readonly pingMs?: number;
}

export interface KeyReader {
  readonly reader: Caller;
  /** Sorted by id, each the same object until it changes; undefined while unknown. */
  readonly entries: () => readonly AnyEntry[] | undefined;
  /** What pods have reported of an object, `Kind/namespace/name`; undefined on a replica that does not lead. */
  readonly countersOf: (object: string) => readonly BudgetRow[] | undefined;
}

export interface SnapshotService extends AsyncDisposable {
  readonly port: number;
  /** Open streams of this replica: for metrics. */
  readonly streams: number;
}

const MAX_STREAMS = 10_000;
const MAX_STREAMS_PER_NAMESPACE = 2_000;
const PING_MS = 20_000;
/**
 * After this the token is reviewed again, so that a deleted pod does not receive Snapshots for long. Up to a tenth longer.
 */
const STREAM_MS = 30 * 60_000;
const REQUEST_MS = 10_000;
const MAX_HEADER_BYTES = 32 * 1024;
const RETRY_AFTER_SECONDS = '1';

/**
 * Streams to each sidecar the Snapshot of the workspace that owns its namespace, on every replica. After a withdrawn consent
 * that Snapshot is empty: a stream that just ended would look like an absent operator, which changes nothing. Rejects when the
 * port is taken. Dispose it to end all streams.
 */
export async function startSnapshotService(options: SnapshotServiceOptions): Promise<SnapshotService> {
  const { certificates, host = '::', clock = systemClock, pingMs = PING_MS } = options;
  const { client } = options;
  const tokens = createTokens({
    ...{ client, audience: SNAPSHOT_AUDIENCE, clock },
    admits: ({ namespace }) => options.admits(namespace),
  });
  const keys = serveKeys(options, clock, pingMs);
  const streams = new Set<SidecarStream>();
  const life = new AbortController();
  const server = createServer(
    {
      ...tlsOf(certificates.current),
      requestTimeout: REQUEST_MS,
      handshakeTimeout: REQUEST_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => {
      const context = { options, tokens, keys, streams, clock, signal: life.signal };
      answer(context, request, response).catch((error: unknown) => {
        options.log.warn({ reason: error instanceof ApiError ? error.reason : 'Other' }, 'Could not open a stream');
        refuse(response, 503);
      });
    },
  );
  const mostStreams = limitsOf(options).inAll + EMPTY_STREAM_LIMITS.inAll;
  server.maxConnections = mostStreams + 100; // room for connections that are being refused or reviewed
  const subscription = certificates.subscribe((certificate) => server.setSecureContext(tlsOf(certificate)));
  const changes = options.subscribe(() => {
    for (const stream of streams) refresh(stream, options);
    keys?.streams.refresh();
  });
  let pings = clock.schedule(pingMs, function ping() {
    for (const stream of streams) stream.ping();
    pings = clock.schedule(pingMs, ping);
  });
  await listen(server, options.port, host);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    get streams() {
      return streams.size;
    },
    [Symbol.asyncDispose]: async () => {
      for (const part of [subscription, changes, pings]) part[Symbol.dispose]();
      life.abort(new Error('closed'));
      for (const stream of streams) stream.end();
      keys?.streams[Symbol.dispose]();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface ServedKeys {
  readonly tokens: Tokens;
  readonly streams: KeyStreams;
}

function serveKeys(options: SnapshotServiceOptions, clock: Clock, pingMs: number): ServedKeys | undefined {
  const { client, keys } = options;
  if (keys === undefined) return undefined;
  return {
    tokens: createTokens({ client, audience: KEYS_AUDIENCE, admits: (caller) => isReader(caller, options), clock }),
    streams: createKeyStreams({ entries: keys.entries, clock, pingMs, streamMs: STREAM_MS }),
  };
}

const isReader = ({ namespace, account }: Caller, { keys }: SnapshotServiceOptions): boolean =>
  namespace === keys?.reader.namespace && account === keys.reader.account;

interface Context {
  readonly options: SnapshotServiceOptions;
  readonly tokens: Tokens;
  readonly keys: ServedKeys | undefined;
  readonly streams: Set<SidecarStream>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function answer(context: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { options, keys } = context;
  const url = URL.parse(request.url ?? '', 'https://service');
  const tokens = request.method === 'GET' ? tokensFor(url?.pathname, context) : undefined;
  if (tokens === undefined) return refuse(response, 404);
  const [, token] = /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const source = request.socket.remoteAddress ?? '';
  const identified = token === undefined ? undefined : await tokens.identify(token, source, context.signal);
  if (identified?.kind === 'busy') return refuse(response, 503);
  if (identified?.kind !== 'caller') return refuse(response, 401);
  if (response.destroyed) return;
  if (tokens !== keys?.tokens)
    answerSidecar(context, { response, caller: identified.caller, query: url?.searchParams });
  else if (!isReader(identified.caller, options)) refuse(response, 401);
  else if (url?.pathname === OBJECT_USAGE_PATH) answerUsage(response, options, url.searchParams);
  else if (!keys.streams.open(response)) refuse(response, 503);
}

function tokensFor(path: string | undefined, { tokens, keys }: Context): Tokens | undefined {
  if (path === SNAPSHOT_STREAM_PATH) return tokens;
  return path === KEYS_STREAM_PATH || path === OBJECT_USAGE_PATH ? keys?.tokens : undefined;
}

/** 503 where this replica does not lead: the leader alone hears of the pods. */
function answerUsage(response: ServerResponse, { keys }: SnapshotServiceOptions, query: URLSearchParams): void {
  const counters = keys?.countersOf(query.get('object') ?? '');
  if (counters === undefined) {
    refuse(response, 503);
    return;
  }
  const answer: ObjectUsage = { counters: [...counters] };
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(answer));
}

interface SidecarCall {
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly query: URLSearchParams | undefined;
}

function answerSidecar(context: Context, { response, caller, query }: SidecarCall): void {
  const first = firstSnapshot(context, caller, query);
  if (typeof first === 'number') refuse(response, first);
  else keep(openStream(response, { caller, ...first }), response, context);
}

/** What a stream starts with, or the status of a refusal. */
function firstSnapshot(
  { options, streams }: Context,
  caller: Caller,
  query: URLSearchParams | undefined,
): Pick<StreamOptions, 'snapshot' | 'have'> | 401 | 503 {
  if (!options.admits(caller.namespace)) return 401;
  const snapshot = options.snapshotFor(caller.namespace);
  if (snapshot === undefined) return 503;
  const have = toVersion(query?.get(SNAPSHOT_HAVE_PARAM) ?? null);
  if (have !== snapshot.version && options.startsWith?.(caller.namespace, snapshot) === false) return 503;
  const place = { caller, startedEmpty: snapshot === EMPTY_SNAPSHOT };
  return hasRoom(streams, place, limitsOf(options)) ? { snapshot, have } : 503;
}

function keep(stream: SidecarStream, response: ServerResponse, { streams, clock, options }: Context): void {
  const { random = Math.random } = options;
  const end = clock.schedule(STREAM_MS * (1 + random() / 10), stream.end);
  streams.add(stream);
  response.on('close', () => {
    end[Symbol.dispose]();
    streams.delete(stream);
  });
}

/** The namespace may have another owner or none by now: that is a change like any other. */
function refresh(stream: SidecarStream, { snapshotFor }: SnapshotServiceOptions): void {
  const snapshot = snapshotFor(stream.caller.namespace);
  if (snapshot === undefined) stream.end();
  else stream.offer(snapshot);
}

const limitsOf = (options: SnapshotServiceOptions): StreamLimits => ({
  inAll: options.maxStreams ?? MAX_STREAMS,
  perNamespace: options.maxStreamsPerNamespace ?? MAX_STREAMS_PER_NAMESPACE,
});

function toVersion(text: string | null): number | undefined {
  const version = Number(text);
  return text !== null && text !== '' && Number.isSafeInteger(version) ? version : undefined;
}

/** Only the status code: a refused caller learns nothing about what exists. */
function refuse(response: ServerResponse, status: 401 | 404 | 503): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {}).end();
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
