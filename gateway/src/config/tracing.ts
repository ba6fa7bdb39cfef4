/** What the environment says about spans; docs/behaviour/tracing.md. */
import { Secret } from '../lib/secret.ts';
import { DEFAULTS } from './defaults.ts';
import type { Environment } from './env.ts';
import type { SAMPLERS } from './tracing-variables.ts';

export interface TracingSettings {
  /** Where spans are sent to; of gRPC: without a path. */
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'grpc';
  /** By their names. */
  readonly headers: ReadonlyMap<string, Secret>;
  readonly compression: 'none' | 'gzip';
  readonly timeoutMs: number;
  /** PEM. */
  readonly ca: string | undefined;
  readonly sampler: { readonly name: (typeof SAMPLERS)[number]; readonly ratio: number };
  /** Whether providers get a `traceparent`. */
  readonly propagates: boolean;
  /** Whether guardrails have spans. */
  readonly guardrails: boolean;
  /** Bound of each attribute with prompts or answers, in characters; undefined: there are none. */
  readonly contentChars: number | undefined;
  readonly queue: { readonly maxSpans: number; readonly batchSpans: number; readonly delayMs: number };
  /** Attributes of the process. */
  readonly resource: Readonly<Record<string, string>>;
}

/** Undefined: no spans are made. Throws an Error that names a variable with a bad value. */
export function tracingOf(env: Environment): TracingSettings | undefined {
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf';
  const url = urlOf(env, protocol);
  if (url === undefined || env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  return {
    url,
    protocol,
    headers: headersOf(env),
    compression: env.OTEL_EXPORTER_OTLP_COMPRESSION,
    timeoutMs: env.OTEL_EXPORTER_OTLP_TIMEOUT,
    ca: env.OTEL_EXPORTER_OTLP_CERTIFICATE ?? env.TLS_CA,
    sampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG },
    propagates: (env.OTEL_PROPAGATORS ?? 'tracecontext').split(',').some((name) => name.trim() === 'tracecontext'),
    guardrails: env.EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED,
    contentChars: env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT
      ? env.OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT
      : undefined,
    queue: {
      maxSpans: env.OTEL_BSP_MAX_QUEUE_SIZE,
      batchSpans: Math.min(env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, env.OTEL_BSP_MAX_QUEUE_SIZE),
      delayMs: env.OTEL_BSP_SCHEDULE_DELAY,
    },
    resource: resourceOf(env),
  };
}

function urlOf(env: Environment, protocol: TracingSettings['protocol']): string | undefined {
  const below = protocol === 'grpc' ? (base: string) => base : belowBase;
  const whole = addressIn(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (whole !== undefined) return whole;
  const base = addressIn(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  if (base !== undefined) return below(base);
  const genAi = addressIn(env, 'EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_ENDPOINT');
  if (genAi !== undefined && env.EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED) return genAi;
  if (env.OTEL_TRACES_EXPORTER !== 'otlp') return undefined;
  return protocol === 'grpc' ? DEFAULTS.otlpGrpcEndpoint : below(DEFAULTS.otlpEndpoint);
}

const belowBase = (base: string): string => `${base.replace(/\/+$/, '')}/v1/traces`;

type AddressVariable =
  | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_ENDPOINT';

function addressIn(env: Environment, name: AddressVariable): string | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new Error(`Invalid environment: ${name}: must be an address that begins with http:// or https://`);
  }
  return text;
}

function headersOf(env: Environment): ReadonlyMap<string, Secret> {
  const headers = new Map<string, Secret>();
  const names = [
    'EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  ] as const;
  for (const variable of names) {
    for (const [name, value] of pairsIn(env, variable)) {
      if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) throw notPairs(variable);
      headers.set(name.toLowerCase(), new Secret(value));
    }
  }
  return headers;
}

/** Later ones win; the name of the service has a variable of its own. */
function resourceOf(env: Environment): Readonly<Record<string, string>> {
  const given = [
    ...pairsIn(env, 'EXPERIMENTAL_GEN_AI_OTEL_RESOURCE_ATTRIBUTES'),
    ...pairsIn(env, 'OTEL_RESOURCE_ATTRIBUTES'),
  ];
  return {
    'service.name': env.SERVICE_NAME,
    'deployment.environment.name': env.NODE_ENV ?? 'development',
    ...(env.GATEHOUSE_POD_NAME === undefined ? {} : { 'k8s.pod.name': env.GATEHOUSE_POD_NAME }),
    ...(env.GATEHOUSE_NAMESPACE === undefined ? {} : { 'k8s.namespace.name': env.GATEHOUSE_NAMESPACE }),
    ...(env.GATEHOUSE_FLEET === undefined ? {} : { 'gatehouse.fleet': env.GATEHOUSE_FLEET }),
    ...Object.fromEntries(given),
    ...(env.OTEL_SERVICE_NAME === undefined ? {} : { 'service.name': env.OTEL_SERVICE_NAME }),
  };
}

const HEADER_NAME = /^[!#$%&'*+.^`|~\w-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

type PairsVariable =
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'
  | 'OTEL_RESOURCE_ATTRIBUTES'
  | 'EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_HEADERS'
  | 'EXPERIMENTAL_GEN_AI_OTEL_RESOURCE_ATTRIBUTES';

/** Percent-encoded values are decoded. Source: W3C Baggage, section 3.3, as OpenTelemetry reads these variables. */
function pairsIn(env: Environment, variable: PairsVariable): readonly (readonly [name: string, value: string])[] {
  const items = (env[variable] ?? '').split(',').filter((item) => item.trim() !== '');
  return items.map((item) => {
    const at = item.indexOf('=');
    const name = item.slice(0, Math.max(0, at)).trim();
    const value = decoded(item.slice(at + 1).trim());
    if (name === '' || value === undefined) throw notPairs(variable);
    return [name, value];
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const notPairs = (variable: PairsVariable): Error =>
  new Error(`Invalid environment: ${variable}: must be a comma list of name=value, with values percent-encoded`);
