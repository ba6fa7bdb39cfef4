/**
 * Variables of the export of spans, most of them as OpenTelemetry names them.
 * Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
import { z } from 'zod';
import { DEFAULTS } from './defaults.ts';

const text = (description: string) => z.string().max(65_536).optional().meta({ description });
const flag = (description: string) =>
  z
    .string()
    .optional()
    .transform((value) => value?.trim().toLowerCase() === 'true')
    .meta({ description });
const count = (fallback: number, max: number, description: string) =>
  z.coerce.number().int().min(1).max(max).default(fallback).meta({ description });

const { spanQueue, spanContentChars, otlpTimeoutMs } = DEFAULTS;

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const TRACING_VARIABLES = {
  OTEL_SDK_DISABLED: flag('true makes no spans, whatever else is set'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional().meta({
    description:
      'otlp exports spans, to http://localhost:4318 (gRPC: 4317) when no address is set; none exports nothing',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: text(
    'base address of a collector for OTLP; over HTTP /v1/traces is added. Setting it turns the export of spans on',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text('whole address that spans are sent to, in place of the base address'),
  OTEL_EXPORTER_OTLP_HEADERS: text('comma list of name=value, headers for the collector; values are secret'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: text('further headers for the collector, which win; values are secret'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'grpc'])
    .optional()
    .meta({ description: 'how spans are sent; http/protobuf when unset' }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z
    .enum(['http/protobuf', 'grpc'])
    .optional()
    .meta({ description: 'as OTEL_EXPORTER_OTLP_PROTOCOL' }),
  OTEL_EXPORTER_OTLP_COMPRESSION: z
    .enum(['none', 'gzip'])
    .default('none')
    .meta({ description: 'compression of what is sent to the collector' }),
  OTEL_EXPORTER_OTLP_TIMEOUT: count(otlpTimeoutMs, 600_000, 'longest time of one export, its retries included, in ms'),
  OTEL_EXPORTER_OTLP_CERTIFICATE: text(
    'certificate authorities of the collector as PEM; those that are trusted in general when unset',
  ),
  OTEL_SERVICE_NAME: text('service.name of the spans; SERVICE_NAME when unset'),
  OTEL_RESOURCE_ATTRIBUTES: text('comma list of name=value, attributes of the process on all spans'),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on').meta({
    description:
      'which traces are exported; parentbased_ samplers follow the sampled flag of a traceparent and decide only where there is none',
  }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ description: 'share of traces that the samplers with traceidratio export, from 0 to 1' }),
  OTEL_PROPAGATORS: text(
    'comma list; without tracecontext (which is there when unset), e.g. none, providers get no traceparent',
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: count(spanQueue.maxSpans, 1_000_000, 'spans that wait for export; more are dropped'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count(spanQueue.batchSpans, 100_000, 'most spans of one export'),
  OTEL_BSP_SCHEDULE_DELAY: count(spanQueue.delayMs, 3_600_000, 'longest wait of a span before an export begins, in ms'),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: flag(
    'true puts prompts and answers on spans of attempts, where the logging of organisation, workspace and request keeps whole bodies',
  ),
  OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: count(
    spanContentChars,
    1_048_576,
    'longest attribute with prompts or answers, in characters; other attributes have at most 256',
  ),
  EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: flag('true makes spans of guardrails, too'),
  EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_ENDPOINT: text(
    'with EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: whole address that spans are sent to, where no OTEL_ variable names one',
  ),
  EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_HEADERS: text('headers for that address; values are secret'),
  EXPERIMENTAL_GEN_AI_OTEL_RESOURCE_ATTRIBUTES: text('further attributes of the process, as OTEL_RESOURCE_ATTRIBUTES'),
};
