/** Environment of the gateway container; see docs/reference/environment.md. */
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { listenersOf } from './listeners.ts';
import { ADMIN_TOKEN_KEY } from './names.ts';
import { S3_KEYS } from './secrets.ts';
import type { FleetSettings } from './settings.ts';

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: Readonly<Record<string, unknown>>;
}

/** Where the volumes of the pod are mounted. */
export const MOUNTS = {
  snapshot: '/var/lib/gatehouse',
  admin: '/var/run/secrets/gatehouse/admin',
  tls: '/var/run/secrets/gatehouse/tls',
} as const;

/** Replaced by a variable of the same name in the fleet's `env`. */
const DEFAULTS: readonly EnvVar[] = [{ name: 'NODE_ENV', value: 'production' }];

/** Variables that connect the parts of an installation, and those that fields of the spec set. */
const OWN = [
  'PORT',
  'HOST',
  'TLS_KEY',
  'TLS_CERT',
  'TLS_KEY_PATH',
  'TLS_CERT_PATH',
  'TRUSTED_CUSTOM_HOSTS',
  'KUBERNETES_SERVICE_HOST',
  'GATEHOUSE_ADMIN_PORT',
  'GATEHOUSE_ADMIN_TOKEN',
  'GATEHOUSE_DRAIN_ACCEPT_MS',
  'GATEHOUSE_DRAIN_DEADLINE_MS',
  'GATEHOUSE_FLEET',
  'GATEHOUSE_FLEET_ID',
  'GATEHOUSE_LOG_LEVEL',
  'GATEHOUSE_NAMESPACE',
  'GATEHOUSE_OWN_NAMESPACES',
  'GATEHOUSE_POD_NAME',
  'GATEHOUSE_ADMIN_HOST',
  'GATEHOUSE_STORE_FAILURE_POLICY',
];

const HEADER_ALIASES = 'GATEHOUSE_HEADER_ALIASES';

/** Prefixes of variables that say where Snapshots come from, and who gets the pod's token and the keys of callers. */
const OWN_FAMILIES: readonly string[] = ['GATEHOUSE_API_', 'GATEHOUSE_MANAGEMENT_', 'GATEHOUSE_SNAPSHOT_'];

/**
 * Fields of `limits` with their variables, which `env` may set while the field is absent, and the factor between their units.
 */
const LIMITS: readonly (readonly [
  field: keyof NonNullable<GatewayFleet['spec']['limits']>,
  variable: string,
  unit?: number,
])[] = [
  ['bodyMebibytes', 'MAX_JSON_PAYLOAD_SIZE_IN_MB'],
  ['jsonDepth', 'GATEHOUSE_MAX_JSON_DEPTH'],
  ['jsonNodes', 'GATEHOUSE_MAX_JSON_NODES'],
  ['jsonStringBytes', 'GATEHOUSE_MAX_JSON_STRING_BYTES'],
  ['bufferedMebibytes', 'GATEHOUSE_MAX_BUFFERED_BYTES', 1024 * 1024],
  ['responseMebibytes', 'GATEHOUSE_MAX_RESPONSE_BYTES', 1024 * 1024],
  ['attemptsPerRequest', 'GATEHOUSE_MAX_ATTEMPTS_PER_REQUEST'],
  ['concurrentRequestsPerKey', 'GATEHOUSE_MAX_CONCURRENT_REQUESTS_PER_KEY'],
  ['bodyIdleSeconds', 'GATEHOUSE_BODY_IDLE_TIMEOUT_MS', 1000],
  ['bodyBytesPerSecond', 'GATEHOUSE_BODY_MIN_BYTES_PER_SECOND'],
];

const OVERLOAD_VARIABLE = 'GATEHOUSE_INSPECT_STREAM_FOR_OVERLOAD';

type ReservingFields = Pick<
  GatewayFleet['spec'],
  'stores' | 'limits' | 'inspectStreamForOverload' | 'headerAliases' | 'tracing' | 'records'
>;

/** Whether `env` must not set the variable, since the operator or a field of the spec does. */
export function isReserved(name: string, spec: ReservingFields): boolean {
  const { stores, limits, inspectStreamForOverload, headerAliases, tracing, records } = spec;
  if (OWN_FAMILIES.some((family) => name.startsWith(family))) return true;
  const ofFields = [...limitVariables(limits), ...tracingVariables(tracing), ...recordVariables(records)];
  if (ofFields.some((variable) => variable.name === name)) return true;
  if (name === OVERLOAD_VARIABLE && inspectStreamForOverload !== undefined) return true;
  if (name === HEADER_ALIASES && headerAliases !== undefined) return true;
  if (name === BATCH_DATABASE && stores?.postgres !== undefined) return true;
  if (name.startsWith(BATCH_BUCKET) && stores?.s3 !== undefined) return true;
  if (name === 'REDIS_CACHE_URL' && stores?.redis?.cacheUrlSecretRef !== undefined) return true;
  return OWN.includes(name) || (name === 'REDIS_URL' && stores?.redis !== undefined);
}

export type EnvironmentSettings = Pick<FleetSettings, 'fleetNamespaces' | 'management'>;

export function environmentOf(fleet: GatewayFleet, settings: EnvironmentSettings): readonly EnvVar[] {
  const { env = [] } = fleet.spec;
  const further = env.map(({ name, value, secretRef }): EnvVar => {
    return secretRef === undefined ? { name, value: value ?? '' } : fromSecret(name, secretRef);
  });
  const taken = new Set(env.map(({ name }) => name));
  return [...ownVariables(fleet, settings), ...DEFAULTS.filter(({ name }) => !taken.has(name)), ...further];
}

function ownVariables(fleet: GatewayFleet, { fleetNamespaces, management }: EnvironmentSettings): readonly EnvVar[] {
  const { metadata, spec } = fleet;
  const { urlSecretRef: redis, cacheUrlSecretRef: cacheRedis } = spec.stores?.redis ?? {};
  return [
    { name: 'GATEHOUSE_SNAPSHOT_SOURCE', value: 'kubernetes' },
    { name: 'GATEHOUSE_FLEET', value: metadata.name },
    { name: 'GATEHOUSE_FLEET_ID', value: metadata.uid ?? '' },
    { name: 'GATEHOUSE_OWN_NAMESPACES', value: [...fleetNamespaces].sort().join(',') },
    fromField('GATEHOUSE_NAMESPACE', 'metadata.namespace'),
    fromField('GATEHOUSE_POD_NAME', 'metadata.name'),
    { name: 'GATEHOUSE_SNAPSHOT_DIR', value: MOUNTS.snapshot },
    { name: 'GATEHOUSE_SNAPSHOT_MAX_AGE_HOURS', value: String(spec.maxSnapshotAgeHours) },
    { name: 'GATEHOUSE_ADMIN_TOKEN', value: `${MOUNTS.admin}/${ADMIN_TOKEN_KEY}` },
    { name: 'GATEHOUSE_DRAIN_ACCEPT_MS', value: String(spec.drainDelaySeconds * 1000) },
    { name: 'GATEHOUSE_DRAIN_DEADLINE_MS', value: String(spec.drainTimeoutSeconds * 1000) },
    { name: 'GATEHOUSE_LOG_LEVEL', value: spec.logLevel },
    ...managementVariables(management),
    ...listenerVariables(fleet),
    ...limitVariables(spec.limits),
    ...tracingVariables(spec.tracing),
    ...recordVariables(spec.records),
    ...(spec.inspectStreamForOverload === undefined
      ? []
      : [{ name: OVERLOAD_VARIABLE, value: String(spec.inspectStreamForOverload) }]),
    ...(spec.trustedHosts === undefined ? [] : [trustedHosts(spec.trustedHosts)]),
    ...(spec.headerAliases === undefined ? [] : [{ name: HEADER_ALIASES, value: spec.headerAliases.join(',') }]),
    ...(spec.storeFailurePolicy === 'open'
      ? []
      : [{ name: 'GATEHOUSE_STORE_FAILURE_POLICY', value: spec.storeFailurePolicy }]),
    ...(redis === undefined ? [] : [fromSecret('REDIS_URL', redis)]),
    ...(cacheRedis === undefined ? [] : [fromSecret('REDIS_CACHE_URL', cacheRedis)]),
    ...batchVariables(spec.stores),
  ];
}

/** Where files and batches of the gateways' own are. */
function batchVariables({ postgres, s3 }: NonNullable<GatewayFleet['spec']['stores']> = {}): readonly EnvVar[] {
  const { bucket, region, endpoint, prefix, forcePathStyle, secretRef, roleArn, externalId } = s3 ?? {};
  const role = { ROLE_ARN: roleArn, EXTERNAL_ID: externalId };
  const texts = { BUCKET: bucket, REGION: region, ENDPOINT: endpoint, PREFIX: prefix, ...role };
  return [
    ...(postgres === undefined ? [] : [fromSecret(BATCH_DATABASE, postgres.urlSecretRef)]),
    ...Object.entries(texts).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name: BATCH_BUCKET + name, value }],
    ),
    ...(forcePathStyle === true ? [{ name: `${BATCH_BUCKET}PATH_STYLE`, value: 'true' }] : []),
    ...(secretRef === undefined
      ? []
      : [
          fromSecret(`${BATCH_BUCKET}ACCESS_KEY_ID`, { name: secretRef.name, key: S3_KEYS[0] }),
          fromSecret(`${BATCH_BUCKET}SECRET_ACCESS_KEY`, { name: secretRef.name, key: S3_KEYS[1] }),
        ]),
  ];
}

const BATCH_DATABASE = 'GATEHOUSE_BATCH_DATABASE_URL';
const BATCH_BUCKET = 'GATEHOUSE_BATCH_S3_';

const managementVariables = (management: FleetSettings['management']): readonly EnvVar[] =>
  management === undefined
    ? []
    : [
        { name: 'GATEHOUSE_MANAGEMENT_URL', value: management.url },
        { name: 'GATEHOUSE_MANAGEMENT_CA', value: management.caPem },
      ];

const limitVariables = (limits: GatewayFleet['spec']['limits']): readonly EnvVar[] =>
  LIMITS.flatMap(([field, name, unit = 1]) => {
    const value = limits?.[field];
    return value === undefined ? [] : [{ name, value: String(value * unit) }];
  });

function tracingVariables(tracing: GatewayFleet['spec']['tracing']): readonly EnvVar[] {
  if (tracing === undefined) return [];
  const { endpoint, protocol, headersSecretRef, samplingRatePerMillion, parentBased, propagate } = tracing;
  const { guardrails, content } = tracing;
  return [
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: endpoint },
    ...(protocol === 'GRPC' ? [{ name: 'OTEL_EXPORTER_OTLP_PROTOCOL', value: 'grpc' }] : []),
    ...(headersSecretRef === undefined ? [] : [fromSecret('OTEL_EXPORTER_OTLP_HEADERS', headersSecretRef)]),
    { name: 'OTEL_TRACES_SAMPLER', value: parentBased ? 'parentbased_traceidratio' : 'traceidratio' },
    { name: 'OTEL_TRACES_SAMPLER_ARG', value: String(samplingRatePerMillion / 1_000_000) },
    { name: 'OTEL_PROPAGATORS', value: propagate ? 'tracecontext' : 'none' },
    { name: 'EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED', value: String(guardrails) },
    { name: 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', value: String(content) },
  ];
}

/** Where the request log is written to. */
function recordVariables(records: GatewayFleet['spec']['records']): readonly EnvVar[] {
  if (records === undefined) return [];
  const { postgres, clickhouse, s3, retentionDays, queueMebibytes } = records;
  return [
    ...(postgres === undefined ? [] : [fromSecret('GATEHOUSE_LOGS_DATABASE_URL', postgres.urlSecretRef)]),
    ...(clickhouse === undefined ? [] : [fromSecret('GATEHOUSE_LOGS_CLICKHOUSE_URL', clickhouse.urlSecretRef)]),
    ...(s3 === undefined ? [] : documentVariables(s3)),
    { name: 'GATEHOUSE_LOGS_RETENTION_DAYS', value: String(retentionDays) },
    ...ofMebibytes('GATEHOUSE_LOGS_DATABASE_BYTES', postgres?.maxMebibytes),
    ...ofMebibytes('GATEHOUSE_LOGS_QUEUE_BYTES', queueMebibytes),
  ];
}

const ofMebibytes = (name: string, mebibytes: number | undefined): readonly EnvVar[] =>
  mebibytes === undefined ? [] : [{ name, value: String(mebibytes * 1024 * 1024) }];

/** The bucket of documents of the request log. */
function documentVariables({
  secretRef,
  caSecretRef,
  ...s3
}: NonNullable<NonNullable<GatewayFleet['spec']['records']>['s3']>): readonly EnvVar[] {
  const texts = {
    LOG_STORE: s3.endpoint === undefined ? 's3' : 's3_custom',
    LOG_STORE_GENERATIONS_BUCKET: s3.bucket,
    LOG_STORE_REGION: s3.region,
    LOG_STORE_BASEPATH: s3.endpoint,
    LOG_STORE_FILE_PATH_FORMAT: s3.pathFormat.toLowerCase(),
    LOG_STORE_OBJECT_LOCK_RETENTION_ENABLED: s3.objectLock ? 'true' : undefined,
    SSE_ENCRYPTION_TYPE: s3.encryption === 'KMS' ? 'aws:kms' : s3.encryption,
    KMS_KEY_ID: s3.kmsKeyId,
    LOG_STORE_AWS_ROLE_ARN: s3.roleArn,
    LOG_STORE_AWS_EXTERNAL_ID: s3.externalId,
  };
  return [
    ...Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
    ...(secretRef === undefined
      ? []
      : [
          fromSecret('LOG_STORE_ACCESS_KEY', { name: secretRef.name, key: S3_KEYS[0] }),
          fromSecret('LOG_STORE_SECRET_KEY', { name: secretRef.name, key: S3_KEYS[1] }),
        ]),
    ...(caSecretRef === undefined ? [] : [fromSecret('LOG_STORE_CA', caSecretRef)]),
  ];
}

function listenerVariables(fleet: GatewayFleet): readonly EnvVar[] {
  return listenersOf(fleet).flatMap(({ port, tlsSecretRef }) => [
    { name: 'PORT', value: String(port) },
    ...(tlsSecretRef === undefined
      ? []
      : [
          { name: 'TLS_KEY_PATH', value: `${MOUNTS.tls}/tls.key` },
          { name: 'TLS_CERT_PATH', value: `${MOUNTS.tls}/tls.crt` },
        ]),
  ]);
}

/** Names include their subdomains. */
const trustedHosts = (hosts: readonly string[]): EnvVar => ({
  name: 'TRUSTED_CUSTOM_HOSTS',
  value: hosts.map((host) => host.replace(/^\*\./, '')).join(','),
});

const fromField = (name: string, fieldPath: string): EnvVar => ({ name, valueFrom: { fieldRef: { fieldPath } } });

const fromSecret = (name: string, { name: secret, key }: { readonly name: string; readonly key: string }): EnvVar => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key } },
});
