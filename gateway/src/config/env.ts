/**
 * The only reader of the process environment. Names and meanings: docs/reference/environment.md; names that only Gatehouse
 * has start with GATEHOUSE_. A value that is a path to an existing file stands for the file's trimmed content.
 */
import { existsSync, readFileSync } from 'node:fs';
import { HTTP_ADDRESS, isHttpAddress } from '@gatehouse/crds';
import { DEFAULT_TARGET_CAPS as CAPS } from '@gatehouse/crds/config';
import { z } from 'zod';
import { BATCH_VARIABLES } from './batch-variables.ts';
import { DEFAULTS } from './defaults.ts';
import { LOG_STORE_VARIABLES } from './log-store-variables.ts';
import { REQUEST_LOG_VARIABLES } from './request-log-variables.ts';
import { TRACING_VARIABLES } from './tracing-variables.ts';

const port = (fallback: number, description: string) =>
  z.coerce.number().int().min(0).max(65_535).default(fallback).meta({ description });
const count = (fallback: number, max: number, description: string) =>
  z.coerce.number().int().min(0).max(max).default(fallback).meta({ description });
const cap = (description: string) => z.coerce.number().int().min(0).max(100_000).optional().meta({ description });
const text = (description: string) => z.string().max(65_536).optional().meta({ description });
const flag = (description: string, on = 'true') =>
  z
    .string()
    .optional()
    .transform((value) => value?.trim().toLowerCase() === on)
    .meta({ description });

const DAY_MS = 86_400_000;
/** Folder in which kubelet mounts the token and certificate authority for the API server. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Every variable of the gateway, in the order of the reference. */
export const ENVIRONMENT = z.object({
  PORT: port(DEFAULTS.port, 'main listener'),
  HOST: text('address of the main and admin listeners; all addresses when unset'),
  GATEHOUSE_ADMIN_HOST: text('address of the admin listener; that of HOST when unset'),
  GATEHOUSE_ADMIN_TOKEN: text('bearer token of /internal/* on the admin listener; unset: no token is required'),
  GATEHOUSE_ADMIN_PORT: port(DEFAULTS.adminPort, 'admin listener: metrics, probes, snapshot state'),
  NODE_ENV: text('production empties the default list of trusted hosts; also a label of the metrics'),
  SERVICE_NAME: z.string().max(253).default('gatehouse').meta({ description: 'label of metrics and logs' }),
  GATEHOUSE_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .meta({ description: 'lowest level that is logged' }),
  TLS_KEY: text('private key of the main listener as PEM'),
  TLS_CERT: text('certificate chain of the main listener as PEM'),
  TLS_CA: text('further certificate authorities that are trusted, as PEM'),
  TLS_KEY_PATH: text('file with the private key; read again when it changes'),
  TLS_CERT_PATH: text('file with the certificate chain; read again when it changes'),
  TLS_CA_PATH: text('file with further certificate authorities'),
  ENABLE_CORS: flag('true answers pages of other origins in browsers, never with cookies'),
  CORS_ALLOWED_ORIGINS: text('comma list of origins; * when unset'),
  CORS_ALLOWED_METHODS: text('value of access-control-allow-methods; * when unset'),
  CORS_ALLOWED_HEADERS: text('value of access-control-allow-headers; * when unset, which includes authorization here'),
  CORS_ALLOWED_EXPOSE_HEADERS: text('value of access-control-expose-headers; * when unset'),
  GATEHOUSE_HEADER_ALIASES: text(
    'comma list of further prefixes for all x-gw-* headers, e.g. x-acme-; answers to requests that use one have their headers under both names',
  ),
  MAX_JSON_PAYLOAD_SIZE_IN_MB: count(DEFAULTS.maxJsonMegabytes, 4_096, 'largest JSON body; larger ones get 413'),
  GATEHOUSE_MAX_JSON_DEPTH: z.coerce
    .number()
    .int()
    .min(8)
    .max(1_000)
    .default(DEFAULTS.json.depth)
    .meta({ description: 'deepest nesting of a JSON body; deeper ones get 400, answers of providers 502' }),
  GATEHOUSE_MAX_JSON_NODES: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(10_000_000)
    .default(DEFAULTS.json.nodes)
    .meta({ description: 'values and member names in a JSON body; more get 400, in answers of providers 502' }),
  GATEHOUSE_MAX_JSON_STRING_BYTES: z.coerce
    .number()
    .int()
    .min(1_024)
    .max(536_870_912)
    .default(DEFAULTS.json.stringBytes)
    .meta({ description: 'longest string in a JSON body; longer ones get 400, in answers of providers 502' }),
  GATEHOUSE_REPLAY_BYTES: count(
    DEFAULTS.replayBytes,
    1_073_741_824,
    'form and binary bodies up to this size are kept for retries',
  ),
  GATEHOUSE_MAX_FORM_BYTES: count(
    DEFAULTS.maxFormBytes,
    1_099_511_627_776,
    'largest form of a transcription or an edited image, and most that a compressed form or file may be unpacked to; larger ones get 413. Other forms of proxied calls are limited by the provider alone',
  ),
  GATEHOUSE_FORM_MODEL_BYTES: count(
    DEFAULTS.formModelBytes,
    1_099_511_627_776,
    'how far a form of a transcription or an edited image is read, and held, until its model where that may name the account; a form that names none by then gets 400',
  ),
  GATEHOUSE_MAX_BUFFERED_BYTES: count(
    0,
    1_099_511_627_776,
    'bytes of requests and answers held in memory at the same time, beyond which requests get 503; 0: a quarter of the memory of the container, at most half of the heap',
  ),
  GATEHOUSE_BODY_IDLE_TIMEOUT_MS: count(
    DEFAULTS.bodyIdleTimeoutMs,
    DAY_MS,
    'longest wait for the next bytes of a request body in ms, then 408; 0: forever',
  ),
  GATEHOUSE_BODY_MIN_BYTES_PER_SECOND: count(
    DEFAULTS.minBodyBytesPerSecond,
    1_073_741_824,
    'least average rate of a request body, counted after the idle time, below which it gets 408; 0: any',
  ),
  GATEHOUSE_MAX_CONCURRENT_REQUESTS_PER_KEY: count(
    DEFAULTS.concurrentRequestsPerKey,
    1_000_000,
    'requests and streams of one key that a gateway serves at the same time; further ones get 429; 0: any number',
  ),
  GATEHOUSE_MAX_ATTEMPTS_PER_REQUEST: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(DEFAULTS.attemptsPerRequest)
    .meta({ description: 'calls to providers that one request may cause, over all its targets and their retries' }),
  GATEHOUSE_MAX_RESPONSE_BYTES: count(
    DEFAULTS.maxResponseBytes,
    1_073_741_824,
    'largest answer that is read before it is sent on',
  ),
  REQUEST_TIMEOUT: count(DEFAULTS.headersTimeoutMs, DAY_MS, 'longest wait for the headers of any outbound call in ms'),
  GATEHOUSE_STREAM_IDLE_TIMEOUT_MS: count(
    DEFAULTS.idleTimeoutMs,
    DAY_MS,
    'longest silence of a provider in the middle of an answer in ms',
  ),
  GATEHOUSE_INSPECT_STREAM_FOR_OVERLOAD: flag(
    'true counts an overload error in the first event of a stream as status 529, for accounts that do not say',
  ),
  GATEHOUSE_STREAM_KEEP_ALIVE_MS: count(0, DAY_MS, 'SSE comments are sent into streams silent for so long; 0: never'),
  GATEHOUSE_REALTIME_MAX_MESSAGE_BYTES: z.coerce
    .number()
    .int()
    .min(1_024)
    .max(268_435_456)
    .default(DEFAULTS.realtime.messageBytes)
    .meta({
      description: 'largest message of a realtime session, either way; a larger one ends it with close code 1009',
    }),
  GATEHOUSE_REALTIME_IDLE_TIMEOUT_MS: count(
    DEFAULTS.realtime.idleMs,
    DAY_MS,
    'realtime sessions without a message for so long are closed; 0: never',
  ),
  GATEHOUSE_REALTIME_MAX_SESSION_MS: count(
    DEFAULTS.realtime.sessionMs,
    DAY_MS,
    'realtime sessions are closed after so long; 0: never',
  ),
  GATEHOUSE_REALTIME_PING_MS: count(
    DEFAULTS.realtime.pingMs,
    DAY_MS,
    'how often both ends of a realtime session are asked for a sign of life; an end that is silent for three times as long is cut; 0: never',
  ),
  ...BATCH_VARIABLES,
  ...REQUEST_LOG_VARIABLES,
  ...LOG_STORE_VARIABLES,
  GATEHOUSE_CONNECT_TIMEOUT_MS: count(DEFAULTS.connectTimeoutMs, DAY_MS, 'longest wait for a connection in ms'),
  GATEHOUSE_MAX_CONNECTIONS_PER_ORIGIN: count(
    DEFAULTS.connectionsPerOrigin,
    65_535,
    'connections kept to one provider host',
  ),
  GATEHOUSE_DRAIN_ACCEPT_MS: count(
    DEFAULTS.drainAcceptMs,
    DAY_MS,
    'how long connections are still accepted after SIGTERM in ms',
  ),
  GATEHOUSE_DRAIN_DEADLINE_MS: count(
    DEFAULTS.drainDeadlineMs,
    DAY_MS,
    'how long requests and streams in flight may go on after SIGTERM in ms',
  ),
  HTTP_PROXY: text('proxy of outbound http calls'),
  HTTPS_PROXY: text('proxy of outbound https calls'),
  NO_PROXY: text('hosts that are called without the proxy'),
  TRUSTED_CUSTOM_HOSTS: text(
    'comma list of custom hosts that may be private and may get stored credentials; subdomains included. Unset outside production, localhost is reachable, but gets no stored credential',
  ),
  KUBERNETES_SERVICE_HOST: text('address of the API server, set by Kubernetes; never reachable through the gateway'),
  BLOCK_INLINE_CONFIG: flag('true accepts saved configs and managed providers only'),
  MAX_ROOT_CONFIG_TARGETS: cap(`targets at the root of a config; ${CAPS.rootTargets} when unset`),
  MAX_CONDITIONAL_ROOT_CONFIG_TARGETS: cap(
    `targets at the root of a config with conditions; ${CAPS.conditionalRootTargets} when unset`,
  ),
  MAX_NESTED_CONFIG_TARGETS: cap(`targets below each root target of a config; ${CAPS.nestedTargets} when unset`),
  ORGANISATION_HEADERS_TO_MASK: text('comma list of headers masked in every log'),
  ENABLE_PROMETHEUS: z
    .string()
    .optional()
    .transform((value) => value?.trim().toLowerCase() !== 'false')
    .meta({ description: 'false removes the metrics endpoint; on by default' }),
  ...TRACING_VARIABLES,
  CACHE_STORE: z
    .enum(['redis', 'azure-redis', 'aws-elastic-cache', 'gcp-memory-store', 'memory'])
    .optional()
    .meta({ description: 'where answers are cached; memory when no Redis address is given' }),
  GATEHOUSE_CACHE_MEMORY_BYTES: count(
    DEFAULTS.cacheMemoryBytes,
    17_179_869_184,
    'size of the cache in memory in bytes',
  ),
  GATEHOUSE_SEMANTIC_CACHE_BYTES: count(
    DEFAULTS.semanticCacheBytes,
    17_179_869_184,
    'memory for vectors of prompts, by which the semantic cache finds answers, in bytes',
  ),
  SEMANTIC_CACHE_EMBEDDING_DIMENSIONS: z.coerce.number().int().min(1).max(16_384).optional().meta({
    description:
      'dimensions that the semantic cache asks embedding models for, for models that can shorten their vectors; unset: those of the model, 1536 for text-embedding-3-small',
  }),
  GATEHOUSE_SEMANTIC_CACHE_STORE: z.enum(['auto', 'answers']).default('auto').meta({
    description:
      'where vectors of prompts are: auto in the PostgreSQL of GATEHOUSE_BATCH_DATABASE_URL where answers are in Redis and that server has pgvector, answers always where the answers are',
  }),
  GATEHOUSE_STORE_FAILURE_POLICY: z.enum(['open', 'closed']).default('open').meta({
    description:
      'while Redis, or the fleet of a sidecar, is away, open counts limits in this process and adds the counts later; closed answers requests that have a limit with 503',
  }),
  GATEHOUSE_LIMITS_TIMEOUT_MS: z.coerce.number().int().min(1).max(10_000).default(DEFAULTS.limitsTimeoutMs).meta({
    description:
      'longest wait of a request for the counters of limits in Redis, in ms, before the body is read and again before the provider is called; then the failure policy decides',
  }),
  GATEHOUSE_FLEET_COUNTERS_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(DEFAULTS.fleetCountersTimeoutMs)
    .meta({
      description:
        'on a sidecar, longest wait for limits and budgets that the fleet counts, in ms; then the failure policy decides',
    }),
  REDIS_URL: text('address of Redis, redis:// or rediss://'),
  REDIS_CACHE_URL: text(
    'address of a Redis of its own for cached answers, which may evict; absent: they are in the same Redis as the counters',
  ),
  REDIS_HOST: text('host of Redis when there is no URL'),
  REDIS_PORT: port(6379, 'port of Redis when there is no URL'),
  REDIS_USERNAME: text('user of Redis'),
  REDIS_PASSWORD: text('password of Redis'),
  REDIS_TLS_ENABLED: flag('true talks TLS to Redis'),
  REDIS_TLS_CERTS: text('certificate authorities of Redis as PEM'),
  REDIS_MODE: z.enum(['standalone', 'cluster']).default('standalone').meta({ description: 'shape of the Redis' }),
  REDIS_CLUSTER_ENDPOINTS: text('comma list of host:port of a Redis cluster'),
  GATEHOUSE_SNAPSHOT_SOURCE: z
    .enum(['kubernetes', 'sidecar'])
    .optional()
    .meta({ description: 'where the gateway program gets what it serves; required there' }),
  GATEHOUSE_FLEET: text('name of the GatewayFleet whose manifest is followed'),
  GATEHOUSE_FLEET_ID: text(
    'the same for all gateways that serve as one: a request that one of them has sent is refused when it comes back to any',
  ),
  GATEHOUSE_OWN_NAMESPACES: text('comma list of namespaces of Gatehouse itself; custom hosts below them are refused'),
  GATEHOUSE_NAMESPACE: text('namespace of the fleet'),
  GATEHOUSE_POD_NAME: text('name of the pod, for logs'),
  GATEHOUSE_SNAPSHOT_DIR: text('folder of the last good copy of what is served; none is kept when unset'),
  GATEHOUSE_SNAPSHOT_MAX_AGE_HOURS: count(
    DEFAULTS.snapshotMaxAgeHours,
    87_600,
    'what was not confirmed for so many hours is not served: by a gateway of a fleet at its start, by a sidecar at any time',
  ),
  KUBERNETES_SERVICE_PORT: port(443, 'port of the API server, set by Kubernetes'),
  GATEHOUSE_API_SERVER: text('address of the API server, https://host:port; that of Kubernetes when unset'),
  GATEHOUSE_API_TOKEN_FILE: z
    .string()
    .max(4_096)
    .default(`${SERVICE_ACCOUNT}/token`)
    .meta({ description: 'file with the bearer token for the API server; it is read again for every call' }),
  GATEHOUSE_API_CA_FILE: z
    .string()
    .max(4_096)
    .default(`${SERVICE_ACCOUNT}/ca.crt`)
    .meta({ description: 'file with the certificate authority of the API server as PEM' }),
  GATEHOUSE_MANAGEMENT_URL: text('address of the management API; its paths answer 404 when unset'),
  GATEHOUSE_MANAGEMENT_CA: z
    .string()
    .max(64 * 1024)
    .optional()
    .meta({ description: 'certificate authorities of the management API as PEM; those of the system when unset' }),
  GATEHOUSE_SIDECAR_PROFILE: text('SidecarProfile that a sidecar serves; it is the identity of its callers'),
  GATEHOUSE_SNAPSHOT_MOUNT_DIR: z
    .string()
    .max(4_096)
    .default('/etc/gatehouse/snapshot')
    .meta({ description: 'folder of the mounted copy of a sidecar, with config/ and secret/' }),
  GATEHOUSE_SNAPSHOT_SERVICE_URL: text('address of the snapshot service that a sidecar follows; none when unset'),
  GATEHOUSE_SNAPSHOT_TOKEN_FILE: z.string().max(4_096).default('/var/run/secrets/gatehouse/token').meta({
    description: 'file with the bearer token for the snapshot service; it is read again for every connection',
  }),
  GATEHOUSE_FLEET_TOKEN_FILE: z.string().max(4_096).default('/var/run/secrets/gatehouse/fleet-token').meta({
    description:
      'file with the token of a sidecar for the fleet that it passes requests on to; it is read again when it changes',
  }),
  GATEHOUSE_SNAPSHOT_CA_FILE: z
    .string()
    .max(4_096)
    .default('/var/run/secrets/gatehouse/ca.crt')
    .meta({ description: 'file with the certificate authority of the snapshot service as PEM' }),
  AWS_ENDPOINT_URL_STS: z.string().max(4_096).refine(isHttpAddress, `expected ${HTTP_ADDRESS}`).optional().meta({
    description: 'address of the token service of AWS, http:// or https://; that of the region when unset',
  }),
});

/** The environment as read; `config/settings.ts` turns it into settings. */
export type Environment = z.output<typeof ENVIRONMENT>;

export type Variables = Readonly<Record<string, string | undefined>>;

/** Variables whose value is a path by meaning, not a file to be read in its place. */
const PATH_VALUED = /_PATH$|_FILE$|_DIR$|^HOME$|^PATH$|^PWD$/;

/** Also read in lower case, as most HTTP clients do. */
const PROXIES: ReadonlySet<string> = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']);

/** Reads the environment. Throws an Error that names every variable with a bad value, never the value. */
export function readEnvironment(variables: Variables): Environment {
  const given: Record<string, string> = {};
  for (const name of Object.keys(ENVIRONMENT.shape)) {
    const value = resolveFile(name, variables[name] ?? (PROXIES.has(name) ? variables[name.toLowerCase()] : undefined));
    if (value !== undefined && value !== '') given[name] = value;
  }
  const parsed = ENVIRONMENT.safeParse(given, { jitless: true }); // once: compiling it would leave 230 KB of code
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  throw new Error(`Invalid environment: ${problems.join('; ')}`);
}

/** Cloud settings that providers read by name. */
export function createEnvReader(variables: Variables): (name: string) => string | undefined {
  return (name) => resolveFile(name, variables[name]);
}

function resolveFile(name: string, value: string | undefined): string | undefined {
  if (value === undefined || PATH_VALUED.test(name) || !/^\.{0,2}\//.test(value)) return value;
  return existsSync(value) ? readFileSync(value, 'utf8').trim() : value;
}
