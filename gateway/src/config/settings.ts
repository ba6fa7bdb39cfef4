import { readFileSync } from 'node:fs';
import { DEFAULT_TARGET_CAPS, type TargetCaps } from '@gatehouse/crds/config';
import { isHeaderAlias, MAX_HEADER_ALIASES, TAKEN_PREFIXES } from '@gatehouse/crds/headers';
import type { BatchSettings } from '../batches/index.ts';
import { toOwnName } from '../lib/header-aliases.ts';
import type { JsonLimits } from '../lib/json/index.ts';
import { Secret } from '../lib/secret.ts';
import { parseRedisUrl, type RedisNode, type RedisSettings } from '../store/index.ts';
import { type BatchStoreSettings, batchesOf } from './batches.ts';
import type { Environment } from './env.ts';
import { type RequestLogSettings, requestLogOf } from './request-log.ts';
import { type TracingSettings, tracingOf } from './tracing.ts';

export interface TlsSettings {
  readonly key: string;
  readonly cert: string;
  /** Paths that both came from: they are read again. */
  readonly files?: { readonly key: string; readonly cert: string };
}

export interface CorsSettings {
  /** `*` or a list of origins. */
  readonly origins: readonly string[];
  readonly methods: string;
  readonly headers: string;
  readonly exposed: string;
}

/** Bounds of realtime sessions. */
export interface RealtimeSettings {
  readonly maxMessageBytes: number;
  /** Longest time without a message, in ms; 0: any. */
  readonly idleMs: number;
  /** In ms; 0: any. */
  readonly maxSessionMs: number;
  /** In ms; 0: never. */
  readonly pingMs: number;
}

/** All settings of a gateway process, read once at start. */
export interface GatewaySettings {
  readonly listen: {
    readonly host: string | undefined;
    readonly port: number;
    /** Absent: as `host`. */
    readonly adminHost?: string | undefined;
    readonly adminPort: number;
  };
  /** Bearer token of `/internal/*`; undefined: none is required. */
  readonly adminToken: Secret | undefined;
  /** The SidecarProfile that is the identity of callers without a key; undefined: there is none. */
  readonly sidecarProfile: string | undefined;
  /** File with the token of a sidecar for its fleet. */
  readonly fleetTokenFile: string;
  readonly podName: string | undefined;
  readonly production: boolean;
  readonly serviceName: string;
  readonly environmentName: string;
  readonly logLevel: Environment['GATEHOUSE_LOG_LEVEL'];
  /** Whether the log says why a request failed: for a terminal, not for a log that is kept. */
  readonly logReasons: boolean;
  readonly tls: TlsSettings | undefined;
  /** PEM, for outbound calls. */
  readonly ca: string | undefined;
  readonly cors: CorsSettings | undefined;
  /** Further prefixes for the gateway's own headers, lower-case. */
  readonly headerAliases: readonly string[];
  readonly limits: {
    readonly maxJsonBytes: number;
    /** Of requests and of answers that are parsed. */
    readonly json: JsonLimits;
    readonly replayBytes: number;
    /** Of operations that take forms alone. */
    readonly maxFormBytes: number;
    readonly formModelBytes: number;
    readonly maxResponseBytes: number;
    /** Bytes of requests and answers in memory; 0: as the memory of the process allows. */
    readonly maxBufferedBytes: number;
    readonly progress: { readonly idleMs: number; readonly minBytesPerSecond: number };
    /** Requests of one key at the same time; 0: any number. */
    readonly maxConcurrentPerKey: number;
    /** Calls to providers per request. */
    readonly maxCalls: number;
    readonly headersTimeoutMs: number;
    readonly idleTimeoutMs: number;
    readonly keepAliveMs: number;
    readonly connectTimeoutMs: number;
    readonly connectionsPerOrigin: number;
  };
  readonly realtime: RealtimeSettings;
  /** Files and batches of the gateway's own; without stores it has none. */
  readonly batches: BatchSettings & BatchStoreSettings;
  /** Undefined: there is no request log. */
  readonly requestLog?: RequestLogSettings | undefined;
  /** Of rows of the request log that wait. */
  readonly logQueueBytes: number;
  /** How much of each body the request log keeps; 0: it keeps rows alone. */
  readonly logBodyBytes: number;
  readonly drain: { readonly acceptMs: number; readonly deadlineMs: number };
  readonly proxy: {
    readonly http: string | undefined;
    readonly https: string | undefined;
    readonly no: string | undefined;
  };
  readonly trustedCustomHosts: string | undefined;
  /** Address of the Kubernetes API server; never reachable through the gateway. */
  readonly apiServer: string | undefined;
  /** Namespaces of the installation; names in them are never reachable through the gateway. */
  readonly ownNamespaces: readonly string[];
  /** Pseudonym of the fleet in `Via`, the same for all its pods; undefined: each gateway has its own. */
  readonly fleetId: string | undefined;
  readonly savedConfigsOnly: boolean;
  /** An overload error in the first event of a stream counts as status 529, unless the account says otherwise. */
  readonly inspectStreamForOverload: boolean;
  readonly caps: TargetCaps;
  /** Of saved configs, beside those of the control plane; undefined: nothing is set for this gateway. */
  readonly savedCaps: TargetCaps | undefined;
  readonly headersToMask: readonly string[];
  readonly metrics: boolean;
  readonly cache: {
    readonly store: 'memory' | 'redis';
    readonly memoryBytes: number;
    readonly vectorBytes: number;
    /** Of vectors that models are asked for; undefined: as many as the model makes. */
    readonly vectorDimensions: number | undefined;
    /** URL of the PostgreSQL of vectors; undefined: they are where answers are. */
    readonly vectorDatabase: Secret | undefined;
  };
  readonly redis: RedisSettings | undefined;
  /** For cached answers; the same as `redis` when nothing else is named. */
  readonly cacheRedis: RedisSettings | undefined;
  /** Undefined: no spans are made. */
  readonly tracing?: TracingSettings | undefined;
  readonly sharedLimits: {
    readonly failurePolicy: 'open' | 'closed';
    readonly timeoutMs: number;
    /** Of a sidecar, for counters of its fleet. */
    readonly fleetTimeoutMs: number;
  };
}

/** Throws an Error when settings contradict each other or a named file cannot be read. */
export function toSettings(env: Environment): GatewaySettings {
  const redis = redisOf(env);
  const cacheRedis = cacheRedisOf(env) ?? redis;
  const headerAliases = headerAliasesOf(env);
  return {
    listen: {
      host: env.HOST,
      port: env.PORT,
      adminHost: env.GATEHOUSE_ADMIN_HOST,
      adminPort: env.GATEHOUSE_ADMIN_PORT,
    },
    adminToken: env.GATEHOUSE_ADMIN_TOKEN === undefined ? undefined : new Secret(env.GATEHOUSE_ADMIN_TOKEN),
    sidecarProfile: env.GATEHOUSE_SNAPSHOT_SOURCE === 'sidecar' ? env.GATEHOUSE_SIDECAR_PROFILE : undefined,
    fleetTokenFile: env.GATEHOUSE_FLEET_TOKEN_FILE,
    podName: env.GATEHOUSE_POD_NAME,
    production: env.NODE_ENV === 'production',
    serviceName: env.SERVICE_NAME,
    environmentName: env.NODE_ENV ?? 'development',
    logLevel: env.GATEHOUSE_LOG_LEVEL,
    logReasons: false,
    tls: tlsOf(env),
    ca: env.TLS_CA ?? fileOf(env.TLS_CA_PATH),
    cors: corsOf(env),
    headerAliases,
    limits: {
      maxJsonBytes: env.MAX_JSON_PAYLOAD_SIZE_IN_MB * 1024 * 1024,
      json: {
        depth: env.GATEHOUSE_MAX_JSON_DEPTH,
        nodes: env.GATEHOUSE_MAX_JSON_NODES,
        stringBytes: env.GATEHOUSE_MAX_JSON_STRING_BYTES,
      },
      replayBytes: env.GATEHOUSE_REPLAY_BYTES,
      ...{ maxFormBytes: env.GATEHOUSE_MAX_FORM_BYTES, formModelBytes: env.GATEHOUSE_FORM_MODEL_BYTES },
      maxResponseBytes: env.GATEHOUSE_MAX_RESPONSE_BYTES,
      maxBufferedBytes: env.GATEHOUSE_MAX_BUFFERED_BYTES,
      progress: {
        idleMs: env.GATEHOUSE_BODY_IDLE_TIMEOUT_MS,
        minBytesPerSecond: env.GATEHOUSE_BODY_MIN_BYTES_PER_SECOND,
      },
      maxConcurrentPerKey: env.GATEHOUSE_MAX_CONCURRENT_REQUESTS_PER_KEY,
      maxCalls: env.GATEHOUSE_MAX_ATTEMPTS_PER_REQUEST,
      headersTimeoutMs: env.REQUEST_TIMEOUT,
      idleTimeoutMs: env.GATEHOUSE_STREAM_IDLE_TIMEOUT_MS,
      keepAliveMs: env.GATEHOUSE_STREAM_KEEP_ALIVE_MS,
      connectTimeoutMs: env.GATEHOUSE_CONNECT_TIMEOUT_MS,
      connectionsPerOrigin: env.GATEHOUSE_MAX_CONNECTIONS_PER_ORIGIN,
    },
    ...{ realtime: realtimeOf(env), batches: batchesOf(env) },
    ...{ requestLog: requestLogOf(env), ...logBoundsOf(env) },
    drain: { acceptMs: env.GATEHOUSE_DRAIN_ACCEPT_MS, deadlineMs: env.GATEHOUSE_DRAIN_DEADLINE_MS },
    proxy: { http: env.HTTP_PROXY, https: env.HTTPS_PROXY, no: env.NO_PROXY },
    trustedCustomHosts: env.TRUSTED_CUSTOM_HOSTS,
    apiServer: env.KUBERNETES_SERVICE_HOST,
    ownNamespaces: listOf(env.GATEHOUSE_OWN_NAMESPACES),
    fleetId: env.GATEHOUSE_FLEET_ID,
    savedConfigsOnly: env.BLOCK_INLINE_CONFIG,
    inspectStreamForOverload: env.GATEHOUSE_INSPECT_STREAM_FOR_OVERLOAD,
    caps: capsOf(env, DEFAULT_TARGET_CAPS),
    savedCaps: savedCapsOf(env),
    headersToMask: listOf(env.ORGANISATION_HEADERS_TO_MASK).map((name) => toOwnName(name.toLowerCase(), headerAliases)),
    metrics: env.ENABLE_PROMETHEUS,
    cache: cacheOf(env, cacheRedis),
    ...{ redis, cacheRedis },
    tracing: tracingOf(env),
    sharedLimits: sharedLimitsOf(env),
  };
}

const logBoundsOf = (env: Environment): Pick<GatewaySettings, 'logBodyBytes' | 'logQueueBytes'> => ({
  logBodyBytes: env.GATEHOUSE_LOGS_BODY_BYTES,
  logQueueBytes: env.GATEHOUSE_LOGS_QUEUE_BYTES,
});

const cacheOf = (env: Environment, redis: Parameters<typeof storeOf>[1]): GatewaySettings['cache'] => ({
  store: storeOf(env, redis),
  memoryBytes: env.GATEHOUSE_CACHE_MEMORY_BYTES,
  vectorBytes: env.GATEHOUSE_SEMANTIC_CACHE_BYTES,
  vectorDimensions: env.SEMANTIC_CACHE_EMBEDDING_DIMENSIONS,
  vectorDatabase: vectorDatabaseOf(env, redis),
});

/** Vectors in a database lead to answers that all gateways have. */
function vectorDatabaseOf(env: Environment, redis: Parameters<typeof storeOf>[1]): Secret | undefined {
  const isShared = env.GATEHOUSE_SEMANTIC_CACHE_STORE === 'auto' && storeOf(env, redis) === 'redis';
  return isShared ? batchesOf(env).database : undefined;
}

const realtimeOf = (env: Environment): RealtimeSettings => ({
  maxMessageBytes: env.GATEHOUSE_REALTIME_MAX_MESSAGE_BYTES,
  idleMs: env.GATEHOUSE_REALTIME_IDLE_TIMEOUT_MS,
  maxSessionMs: env.GATEHOUSE_REALTIME_MAX_SESSION_MS,
  pingMs: env.GATEHOUSE_REALTIME_PING_MS,
});

const sharedLimitsOf = (env: Environment): GatewaySettings['sharedLimits'] => ({
  failurePolicy: env.GATEHOUSE_STORE_FAILURE_POLICY,
  timeoutMs: env.GATEHOUSE_LIMITS_TIMEOUT_MS,
  fleetTimeoutMs: env.GATEHOUSE_FLEET_COUNTERS_TIMEOUT_MS,
});

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const NO_CAPS: TargetCaps = {
  rootTargets: Number.POSITIVE_INFINITY,
  conditionalRootTargets: Number.POSITIVE_INFINITY,
  nestedTargets: Number.POSITIVE_INFINITY,
};

const capsOf = (env: Environment, unset: TargetCaps): TargetCaps => ({
  rootTargets: env.MAX_ROOT_CONFIG_TARGETS ?? unset.rootTargets,
  conditionalRootTargets: env.MAX_CONDITIONAL_ROOT_CONFIG_TARGETS ?? unset.conditionalRootTargets,
  nestedTargets: env.MAX_NESTED_CONFIG_TARGETS ?? unset.nestedTargets,
});

/** What is not set is no cap. */
function savedCapsOf(env: Environment): TargetCaps | undefined {
  const caps = capsOf(env, NO_CAPS);
  return Object.values(caps).every((value) => value === Number.POSITIVE_INFINITY) ? undefined : caps;
}

const fileOf = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : readFileSync(path, 'utf8');

function tlsOf(env: Environment): TlsSettings | undefined {
  const key = env.TLS_KEY ?? fileOf(env.TLS_KEY_PATH);
  const cert = env.TLS_CERT ?? fileOf(env.TLS_CERT_PATH);
  if (key === undefined && cert === undefined) return undefined;
  if (key === undefined || cert === undefined)
    throw new Error('Invalid environment: TLS needs both key and certificate');
  const { TLS_KEY, TLS_CERT, TLS_KEY_PATH, TLS_CERT_PATH } = env;
  const hasFiles = TLS_KEY === undefined && TLS_CERT === undefined;
  if (!hasFiles || TLS_KEY_PATH === undefined || TLS_CERT_PATH === undefined) return { key, cert };
  return { key, cert, files: { key: TLS_KEY_PATH, cert: TLS_CERT_PATH } };
}

function corsOf(env: Environment): CorsSettings | undefined {
  if (!env.ENABLE_CORS) return undefined;
  const origins = listOf(env.CORS_ALLOWED_ORIGINS);
  return {
    origins: origins.length === 0 ? ['*'] : origins,
    methods: env.CORS_ALLOWED_METHODS ?? '*',
    headers: env.CORS_ALLOWED_HEADERS ?? '*',
    exposed: env.CORS_ALLOWED_EXPOSE_HEADERS ?? '*',
  };
}

function headerAliasesOf(env: Environment): readonly string[] {
  const aliases = [...new Set(listOf(env.GATEHOUSE_HEADER_ALIASES))];
  if (aliases.length <= MAX_HEADER_ALIASES && aliases.every(isHeaderAlias)) return aliases;
  throw new Error(
    `Invalid environment: GATEHOUSE_HEADER_ALIASES: expected at most ${MAX_HEADER_ALIASES} prefixes of one word like x-acme-, none of ${TAKEN_PREFIXES.join(', ')}`,
  );
}

/** For a CACHE_STORE that needs an address when none is given. */
const DEFAULT_REDIS_HOST = 'redis';

function singleNode({ CACHE_STORE: store, REDIS_HOST, REDIS_PORT: port }: Environment): readonly RedisNode[] {
  const host = REDIS_HOST ?? (store === undefined || store === 'memory' ? undefined : DEFAULT_REDIS_HOST);
  return host === undefined ? [] : [{ host, port }];
}

function redisOf(env: Environment): RedisSettings | undefined {
  const cluster = env.REDIS_MODE === 'cluster';
  const endpoints = cluster ? listOf(env.REDIS_CLUSTER_ENDPOINTS).map(toNode) : [];
  const url = env.REDIS_URL === undefined ? undefined : parseRedisUrl(env.REDIS_URL);
  if (url !== undefined && !url.ok) throw new Error(`Invalid environment: REDIS_URL: ${url.error}`);
  const nodes = endpoints.length > 0 ? endpoints : (url?.value.nodes ?? singleNode(env));
  const [first, ...rest] = nodes;
  if (first === undefined) return undefined;
  const password = env.REDIS_PASSWORD === undefined ? undefined : new Secret(env.REDIS_PASSWORD);
  return {
    nodes: [first, ...rest],
    mode: env.REDIS_MODE,
    username: env.REDIS_USERNAME ?? url?.value.username,
    password: password ?? url?.value.password,
    database: url?.value.database,
    tls: env.REDIS_TLS_ENABLED ? { ca: env.REDIS_TLS_CERTS } : url?.value.tls,
  };
}

function cacheRedisOf({ REDIS_CACHE_URL: text, REDIS_TLS_CERTS: ca }: Environment): RedisSettings | undefined {
  if (text === undefined) return undefined;
  const url = parseRedisUrl(text);
  if (!url.ok) throw new Error(`Invalid environment: REDIS_CACHE_URL: ${url.error}`);
  return { ...url.value, mode: 'standalone', tls: url.value.tls === undefined ? undefined : { ca } };
}

function toNode(endpoint: string): RedisNode {
  const parsed = parseRedisUrl(`redis://${endpoint}`);
  if (!parsed.ok) throw new Error(`Invalid environment: REDIS_CLUSTER_ENDPOINTS: ${parsed.error}`);
  return parsed.value.nodes[0];
}

function storeOf(env: Environment, redis: RedisSettings | undefined): 'memory' | 'redis' {
  if (env.CACHE_STORE === 'memory' || redis === undefined) return 'memory';
  return 'redis';
}
