/** Variables that other gateways of this kind know and that have no effect here: named at the start, never ignored silently. */
import { ENVIRONMENT, type Variables } from './env.ts';

export interface UnservedVariables {
  /** Completes "… not part of this version". */
  readonly feature: string;
  /** Names; one that ends in `*` stands for all that begin so and are not read. */
  readonly names: readonly string[];
}

export const UNSERVED_VARIABLES: readonly UnservedVariables[] = [
  { feature: 'tool servers are', names: ['SERVER_MODE', 'MCP_*', 'SERVERS_CONFIG_PATH'] },
  {
    feature: 'a remote control plane is',
    names: [
      ...[
        'PRIVATE_DEPLOYMENT',
        'HYBRID_DEPLOYMENT',
        'MANAGED_DEPLOYMENT',
        'FETCH_SETTINGS_FROM_FILE',
        'GW_CLIENT_AUTH',
      ],
      ...['CONTROL_PLANE_*', 'DATASERVICE_BASEPATH', 'GATEWAY_BASE_URL', 'GATEWAY_BASEPATH', 'GATEWAY_CACHE_MODE'],
      ...['ORGANISATIONS_TO_SYNC', 'CONFIG_READER_PATH', 'MODEL_CONFIGS_PROXY_FETCH_ENABLED'],
    ],
  },
  { feature: 'tokens of other issuers are', names: ['JWT_*'] },
  { feature: 'a check of configs by path is', names: ['SKIP_DATAPLANE_CONFIG_CHECK'] },
  {
    feature: 'headers as metadata and metadata as labels of clouds are',
    names: ['HEADERS_TO_METADATA', 'METADATA_MAP_KEY_PREFIX'],
  },
  {
    feature: 'reads from replicas, discovered clusters and keyless access to Redis are',
    names: [
      ...['REDIS_SCALE_READS', 'REDIS_CLUSTER_DISCOVERY_*', 'REDIS_WORKERS_*'],
      ...['AZURE_REDIS_*', 'AWS_REDIS_*', 'GCP_REDIS_*'],
    ],
  },
  {
    feature: 'stores of vectors and settings of the semantic cache for all configs are',
    names: [
      ...['VECTOR_STORE*', 'SEMANTIC_CACHE_EMBEDDING_PROVIDER', 'SEMANTIC_CACHE_EMBEDDINGS_URL'],
      ...['SEMANTIC_CACHE_EMBEDDING_API_KEY', 'SEMANTIC_CACHE_EMBEDDING_MODEL', 'SEMANTIC_CACHE_SIMILARITY_THRESHOLD'],
    ],
  },
  {
    feature: 'further stores of logs and analytics, and further settings of AWS for them, are',
    names: [
      ...[
        'LOG_STORE_AWS_*',
        'MONGO_*',
        'ANALYTICS_*',
        'CLICKHOUSE_*',
        'DISABLE_CLICKHOUSE',
        'IGNORE_CLICKHOUSE_STARTUP',
      ],
      ...['AZURE_STORAGE_*', 'KMS_BUCKET_KEY_ENABLED', 'KMS_ENCRYPTION_*'],
    ],
  },
  {
    feature: 'exports of metrics, logs and rows of analytics by OTLP are',
    names: [
      ...['OTEL_PUSH_ENABLED', 'OTEL_ENDPOINT', 'OTEL_METRICS_EXPORTER', 'OTEL_LOGS_EXPORTER'],
      ...['OTEL_EXPORTER_OTLP_METRICS_*', 'OTEL_EXPORTER_OTLP_LOGS_*'],
    ],
  },
  {
    feature: 'client certificates for the collector, limits of spans and an own time for their export are',
    names: [
      ...['OTEL_EXPORTER_OTLP_CLIENT_*', 'OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE', 'OTEL_EXPORTER_OTLP_TRACES_CLIENT_*'],
      ...['OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_BSP_EXPORT_TIMEOUT'],
      ...['OTEL_ATTRIBUTE_*', 'OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'OTEL_SPAN_EVENT_*', 'OTEL_SPAN_LINK_*'],
      ...['OTEL_EVENT_*', 'OTEL_LINK_*'],
    ],
  },
  { feature: 'pushed metrics, own buckets and further labels are', names: ['PROMETHEUS_*'] },
  { feature: 'pushed service logs are', names: ['LOKI_*', 'SENTRY_DSN'] },
];

/** The set variables without effect, sorted; empty ones do not count. Values are not looked at. */
export function unservedVariables(variables: Variables): readonly string[] {
  const patterns = UNSERVED_VARIABLES.flatMap(({ names }) => names);
  return Object.keys(variables)
    .filter((name) => variables[name] !== undefined && variables[name] !== '')
    .filter((name) => !Object.hasOwn(ENVIRONMENT.shape, name))
    .filter((name) => patterns.some((pattern) => matches(pattern, name)))
    .sort();
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
