/** The shape of `POST /v1/logs`: docs/behaviour/request-logs.md#records-of-clients. Unknown members are left out. */
import { isObject } from '@gatehouse/crds';
import { z } from 'zod';
import { readJson } from '../../lib/json/index.ts';
import { MAX_COST_NANO, NANO_PER_CENT } from '../entry.ts';
import { headersProblem, metadataProblem } from './bounds.ts';

const MAX_URL = 8_192;
const MAX_TEXT = 256;
/** Of one call, in ms: a day. */
const MAX_RESPONSE_MS = 86_400_000;
const MAX_CENTS = MAX_COST_NANO / NANO_PER_CENT;
/** As many tokens of one kind as are ever counted. */
const MAX_TOKENS = 1_000_000_000;
/** Of a member that is JSON in a text. */
const NESTED_LIMITS = { depth: 128, nodes: 100_000, stringBytes: 8 * 1024 * 1024 };

/** Null is as good as absent. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);
const text = (max = MAX_TEXT) => z.string().max(max);

/** The schema reads what is within the bounds alone. */
const within = <T extends z.ZodType<unknown, unknown>>(problemOf: (given: unknown) => string | undefined, schema: T) =>
  z
    .unknown()
    .superRefine((given, context) => {
      const message = problemOf(given);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .pipe(schema);

const headers = within(
  headersProblem,
  z.record(
    text(),
    z.union(
      [z.string(), z.number(), z.boolean(), z.array(z.string())],
      'expected a text, a number, true or false, or a list of texts',
    ),
  ),
);

const request = z.object({
  url: z.string().min(1).max(MAX_URL),
  method: optional(z.string().regex(/^[a-z]{1,32}$/i, 'expected a method of HTTP')),
  headers: optional(headers),
  body: z.unknown().optional(),
  provider: optional(z.string().min(1).max(128)),
});

const response = z.object({
  status: optional(z.int().min(100).max(599)),
  headers: optional(headers),
  body: z.unknown().optional(),
  response_time: optional(z.number().min(0).max(MAX_RESPONSE_MS)),
  streamingMode: optional(z.boolean()),
});

const tokens = optional(z.int().min(0).max(MAX_TOKENS));

const output = z.object({
  tokens: optional(
    z.object({
      requestUnits: tokens,
      responseUnits: tokens,
      cache: optional(z.object({ read: tokens, write: tokens })),
    }),
  ),
  cost: optional(
    z.object({
      cost: z.number().min(0).max(MAX_CENTS),
      currency: optional(z.string().regex(/^usd$/i, 'expected USD, the one currency of costs')),
    }),
  ),
  ignoreUsage: optional(z.boolean()),
});

/** An empty text is as good as none. */
const name = text()
  .nullish()
  .transform((value) => (value === null || value === '' ? undefined : value));
const trace = { trace_id: name, traceId: name, span_id: name, parent_span_id: name, span_name: name };

const metadata = within(metadataProblem, z.looseObject(trace));

/** An object, or its JSON in a text. */
function opened(value: unknown, context: z.core.$RefinementCtx): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed = readJson(value, NESTED_LIMITS, { repeated: false });
    if (isObject(parsed)) return parsed;
  } catch {
    // no JSON
  }
  context.addIssue({ code: 'custom', message: 'expected an object, or its JSON in a text' });
  return z.NEVER;
}

const NO_TIME = 'expected a time in RFC 3339, or in ms';

export const logElement = z.object({
  request: z.preprocess(opened, request),
  response: optional(z.preprocess(opened, response.nullish())),
  metadata: optional(metadata),
  ...trace,
  createdAt: optional(z.union([z.iso.datetime({ offset: true, error: NO_TIME }), z.number()], NO_TIME)),
  output: optional(output),
});

export type LogElement = z.output<typeof logElement>;
