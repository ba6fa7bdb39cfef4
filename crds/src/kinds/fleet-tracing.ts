/** Where the gateways of a fleet send spans. */
import { z } from 'zod';
import { flag, httpUrl, int, type Rule, withRules } from '../schema/index.ts';
import { secretKeyRef } from './parts/index.ts';

const MILLION = 1_000_000;

const TRACING_RULES: readonly Rule<{ endpoint: string }>[] = [
  {
    cel: "!self.endpoint.contains('@')",
    message: 'the address has no user and no password; put credentials into headersSecretRef',
    at: 'endpoint',
    reason: 'FieldValueForbidden',
    holds: ({ endpoint }) => !endpoint.includes('@'),
    valid: [{ endpoint: 'http://collector.observability:4318' }],
    invalid: [{ endpoint: 'https://user:word@collector.example' }],
  },
];

export const tracing = withRules(
  z
    .strictObject({
      endpoint: httpUrl(
        'endpoint is the base address of the collector for OTLP: over HTTP usually with port 4318, and /v1/traces is added; over gRPC usually with port 4317.',
      ),
      protocol: z
        .enum(['HTTP', 'GRPC'])
        .default('HTTP')
        .meta({ description: 'protocol is how spans are sent: HTTP with protobuf, or GRPC.' }),
      headersSecretRef: secretKeyRef(
        'headersSecretRef is the Secret entry with headers for the collector, a comma list of name=value with percent-encoded values.',
      ).optional(),
      samplingRatePerMillion: int(
        'samplingRatePerMillion is how many of a million traces are exported.',
        0,
        MILLION,
      ).default(MILLION),
      parentBased: flag(
        'parentBased true lets the sampled flag of a request with a traceparent decide in place of samplingRatePerMillion.',
        true,
      ),
      propagate: flag('propagate true sends a traceparent to providers.', true),
      guardrails: flag('guardrails true makes spans of guardrails, too.', false),
      content: flag(
        'content true puts prompts and answers on spans of attempts, where the logging of organisation, workspace and request keeps whole bodies.',
        false,
      ),
    })
    .meta({ description: 'tracing exports spans of requests and attempts; absent: none are made.' }),
  TRACING_RULES,
);
