/** From a span to the call that it tells of, by OpenTelemetry's conventions for generative AI, old names included. */
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { hashId } from '../../lib/hash-id.ts';
import { readUsage } from '../../usage/index.ts';
import { type Entry, type EntryContext, headerEntries, plainUrl } from '../entry.ts';
import { answeredOf, askedOf, callAttributes } from './content.ts';
import { isScalar, metadataOf } from './metadata.ts';
import type { Attributes, AttributeValue, OtlpSpan } from './span.ts';

/** Undefined for a span that is taken; else why it is not. */
export function problemOf(
  { traceId, spanId, startMs, endMs, attributes }: OtlpSpan,
  { oldestMs, newestMs }: EntryContext,
): string | undefined {
  if (!/^(?!0+$)[0-9a-f]{32}$/.test(traceId)) return 'traceId has 32 hex digits, not all of them 0';
  if (!/^(?!0+$)[0-9a-f]{16}$/.test(spanId)) return 'spanId has 16 hex digits, not all of them 0';
  if (startMs < oldestMs || startMs > newestMs) {
    const [from, to] = [oldestMs, newestMs].map((bound) => new Date(bound).toISOString());
    return `startTimeUnixNano is from ${from} to ${to}`;
  }
  if (endMs < startMs) return 'endTimeUnixNano is not before startTimeUnixNano';
  return charsOfHeaders(attributes) > MAX_HEADER_CHARS
    ? `attributes has at most ${MAX_HEADER_CHARS} characters in headers of HTTP`
    : undefined;
}

/** Of names and values together, as of a request. */
const MAX_HEADER_CHARS = 32 * 1024;

function charsOfHeaders(attributes: Attributes): number {
  let chars = 0;
  for (const [name, value] of attributes)
    if (HEADER.test(name)) chars += name.length + (typeof value === 'string' ? value : JSON.stringify(value)).length;
  return chars;
}

const HEADER = /^http\.(?:request|response)\.header\./;

const MAX_NAME = 256;

export function spanToEntry(span: OtlpSpan): Entry {
  const attributes = callAttributes(span);
  const text = (...names: readonly string[]): string | undefined => textOf(attributes, names);
  const model = text('gen_ai.request.model');
  return {
    identity: hashId(['span', span.traceId, span.spanId, String(span.startMs)]),
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: /^(?!0+$)[0-9a-f]{16}$/.test(span.parentSpanId) ? span.parentSpanId : undefined,
    spanName: span.name === '' ? undefined : span.name.slice(0, MAX_NAME),
    startedAtMs: Math.floor(span.startMs),
    metadata: metadataOf(attributes, span.resource),
    provider: providerOf(text('gen_ai.provider.name', 'gen_ai.system')),
    account: undefined,
    model,
    answeredModel: text('gen_ai.response.model'),
    request: {
      method: (/^[a-z]{1,32}$/i.exec(text('http.request.method', 'http.method') ?? '')?.[0] ?? 'POST').toUpperCase(),
      url: plainUrl(text('url.full', 'http.url', 'url.path', 'http.target', 'http.route') ?? ''),
      headers: headersOf(attributes, 'http.request.header.'),
      body: toBody(askedOf(attributes, span.events)),
    },
    response: {
      status: statusOf(attributes, span.failed),
      isStream: attributes.get('gen_ai.request.stream') === true,
      responseMs: Math.round((span.endMs - span.startMs) * 1_000) / 1_000,
      headers: headersOf(attributes, 'http.response.header.'),
      body: toBody(answeredOf(attributes, span.events)),
    },
    operation: OPERATION_NAMES.get(text('gen_ai.operation.name') ?? '') ?? 'log',
    user: text('enduser.id', 'user.id'),
    usage: usageOf(attributes),
    costNano: undefined,
  };
}

/** Ids of operations by `gen_ai.operation.name`. */
const OPERATION_NAMES: ReadonlyMap<string, string> = new Map([
  ['chat', 'chatComplete'],
  ['generate_content', 'chatComplete'],
  ['text_completion', 'complete'],
  ['embeddings', 'embed'],
]);

/** Ids of providers by the names of OpenTelemetry, and by names that instrumentations had before. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['az.ai.openai', 'azure-openai'],
  ['az.ai.inference', 'azure-ai'],
  ['vertex_ai', 'vertex-ai'],
  ['gemini', 'google'],
  ['gcp.gen_ai', 'google'],
  ['aws_bedrock', 'bedrock'],
  ['xai', 'x-ai'],
  ...[...PROVIDER_CATALOGUE.values()].flatMap(({ id, genAiName }) =>
    genAiName === undefined ? [] : [[genAiName, id] as const],
  ),
]);

const providerOf = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : (PROVIDERS.get(name.toLowerCase()) ?? name).slice(0, 128);

function textOf(attributes: Attributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === 'string' && value !== '') return value.slice(0, MAX_TEXT);
  }
  return undefined;
}

const MAX_TEXT = 8_192;

function numberOf(attributes: Attributes, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === 'number') return value;
  }
  return undefined;
}

/** An error is one whatever its answer says. */
function statusOf(attributes: Attributes, failed: boolean): number {
  const given = numberOf(attributes, ['http.response.status_code', 'http.status_code']);
  const status = given !== undefined && Number.isInteger(given) && given >= 100 && given <= 599 ? given : 200;
  return failed && status < 400 ? 500 : status;
}

/** The conventions count what the cache had as input, too. */
function usageOf(attributes: Attributes): Entry['usage'] {
  const count = (...names: readonly string[]): number | undefined => numberOf(attributes, names);
  const input = count('gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens');
  const output = count('gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens');
  if (input === undefined && output === undefined) return undefined;
  return readUsage({
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: {
      cached_tokens: count('gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read_input_tokens'),
    },
    completion_tokens_details: {
      reasoning_tokens: count('gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.reasoning_tokens'),
    },
    cache_creation_input_tokens: count(
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.cache_creation_input_tokens',
    ),
  });
}

function headersOf(attributes: Attributes, prefix: string): Entry['request']['headers'] {
  return [...attributes].flatMap(([name, value]) => {
    if (!name.startsWith(prefix)) return [];
    const values: readonly AttributeValue[] = Array.isArray(value) ? value : [value];
    return headerEntries(name.slice(prefix.length), values.filter(isScalar));
  });
}

const toBody = (body: object | undefined): Buffer | undefined =>
  body === undefined ? undefined : Buffer.from(JSON.stringify(body));
