/** Spans that exporters send to the gateway, over sockets: docs/behaviour/request-logs.md#spans. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { LogContent } from '@gatehouse/crds/logs';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { type LogRecord, type MemoryLog, memoryLog } from '../kit/request-log.ts';
import { KEY, key, TEAM, workspace } from '../kit/snapshot.ts';

const PATH = '/v1/otel/v1/traces';
const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';
const CANARY = 'sk-canary-0123456789abcdef0123456789';
const OTHER = 'sk-another-0123456789abcdef';
const OTHER_KEY = 'gwk_of_the_other_team_0123456789';

let log: MemoryLog;
let world: World;

beforeAll(async () => {
  log = memoryLog();
  const scopes = ['logs.write'];
  const other = key({ name: 'other', secret: OTHER_KEY, workspace: 'team-b', scopes });
  world = await startWorld({ requestLog: log, entries: () => [key({ scopes }), workspace('team-b'), other] });
});
afterAll(() => world?.[Symbol.asyncDispose]());

const MESSAGES = [{ role: 'user', parts: [{ type: 'text', content: 'hello' }] }];
const ANSWERS = [{ role: 'assistant', parts: [{ type: 'text', content: 'hi' }], finish_reason: 'stop' }];
const CALL = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.request.temperature': 0.5,
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.response.finish_reasons': ['stop'],
  'gen_ai.usage.input_tokens': 1_000_000,
  'gen_ai.usage.output_tokens': 0,
  'gen_ai.input.messages': JSON.stringify(MESSAGES),
  'gen_ai.output.messages': JSON.stringify(ANSWERS),
  'metadata.customer.tier': 'gold',
  'gatehouse.metadata.team': 'shop',
  'session.id': 's-1',
} as const;

interface Told {
  readonly attributes?: ReadableSpan['attributes'];
  readonly name?: string;
  readonly startMs?: number;
  readonly failed?: boolean;
  readonly traceId?: string;
  readonly events?: readonly { readonly name: string; readonly attributes: ReadableSpan['attributes'] }[];
}

const RESOURCE = resourceFromAttributes({ 'service.name': 'shop' });
const SCOPE = { name: 'test' };

const timeOf = (ms: number): [number, number] => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1_000_000)];

/** As the SDK of OpenTelemetry has it. */
function span({
  attributes = CALL,
  name = 'chat gpt-4o',
  startMs = Date.now() - 1_000,
  failed = false,
  ...told
}: Told = {}): ReadableSpan {
  const { traceId = randomBytes(16).toString('hex'), events = [] } = told;
  const spanId = randomBytes(8).toString('hex');
  return {
    name,
    kind: 2,
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    startTime: timeOf(startMs),
    endTime: timeOf(startMs + 250),
    duration: timeOf(250),
    status: { code: failed ? 2 : 0 },
    attributes,
    links: [],
    events: events.map((event) => ({ ...event, time: timeOf(startMs) })),
    ended: true,
    resource: RESOURCE,
    instrumentationScope: SCOPE,
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

const protobufOf = (...spans: readonly ReadableSpan[]): Buffer =>
  Buffer.from(ProtobufTraceSerializer.serializeRequest([...spans]) ?? expect.fail('no spans'));

type JsonValue = { readonly [name: string]: unknown };

/** Values as the JSON encoding of OTLP has them. */
function anyValue(value: unknown): JsonValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: (value as readonly unknown[]).map(anyValue) } }; // attributes have no other
}

const pairs = (attributes: object) =>
  Object.entries(attributes).map(([name, value]) => ({ key: name, value: anyValue(value) }));

const nanos = ([seconds, ns]: readonly [number, number]): string =>
  String(BigInt(seconds) * 1_000_000_000n + BigInt(ns));

const jsonOf = (...spans: readonly ReadableSpan[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: pairs({ 'service.name': 'shop' }) },
        scopeSpans: [
          {
            spans: spans.map(({ spanContext, name, startTime, endTime, attributes, events, status }) => ({
              ...{ traceId: spanContext().traceId, spanId: spanContext().spanId, name, kind: 3 },
              ...{ startTimeUnixNano: nanos(startTime), endTimeUnixNano: nanos(endTime) },
              ...{ attributes: pairs(attributes), status: { code: status.code } },
              events: events.map((event) => ({ name: event.name, attributes: pairs(event.attributes ?? {}) })),
            })),
          },
        ],
      },
    ],
  });

const ENCODINGS = {
  protobuf: { type: PROTOBUF, encode: protobufOf, nothing: '' },
  JSON: { type: JSON_TYPE, encode: jsonOf, nothing: '{}' },
} as const;
type Encoding = keyof typeof ENCODINGS;
const BOTH: readonly Encoding[] = ['protobuf', 'JSON'];

const post = (body: string | Buffer, type: string, headers: Readonly<Record<string, string>> = {}) =>
  world.send(PATH, { method: 'POST', body, headers: { 'content-type': type, ...headers } });

async function stored(encoding: Encoding, ...spans: readonly ReadableSpan[]): Promise<LogRecord[]> {
  const before = log.records.length;
  const { type, encode, nothing } = ENCODINGS[encoding];
  const answer = await post(encode(...spans), type);
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, type, nothing]);
  return log.records.slice(before);
}

const contentOf = (record: LogRecord | undefined): LogContent => JSON.parse(record?.content ?? 'null');

describe.each(BOTH)('spans in %s', (encoding) => {
  test('are rows, with the attributes of generative AI in their columns', async () => {
    const [told, plain] = [span(), span({ attributes: { 'db.system': 'postgresql' }, name: 'SELECT' })];
    const records = await stored(encoding, told, plain);
    expect(records.map(({ row }) => row)).toMatchObject([
      {
        ...{ source: 'log', operation: 'chatComplete', workspace: TEAM, api_key_name: 'main', status: 200 },
        ...{ trace_id: told.spanContext().traceId, span_id: told.spanContext().spanId, span_name: 'chat gpt-4o' },
        ...{ provider: 'openai', model: 'gpt-4o', answered_model: 'gpt-4o-2024-08-06', response_ms: 250 },
        ...{ input_tokens: 1_000_000, output_tokens: 0, cost_nano: 2_500_000_000, is_unpriced: false },
        metadata: { 'service.name': 'shop', 'customer.tier': 'gold', team: 'shop', 'session.id': 's-1' },
      },
      {
        ...{ source: 'log', operation: 'log', provider: null, model: null, span_name: 'SELECT', cost_nano: null },
        metadata: { 'service.name': 'shop' },
      },
    ]);
    expect(records.map(({ row }) => row.created_at)).toEqual(
      [told, plain].map(({ startTime: [s, ns] }) => s * 1000 + Math.floor(ns / 1e6)),
    );
    expect(contentOf(records[0])).toMatchObject({
      request: { body: { model: 'gpt-4o', temperature: 0.5, messages: MESSAGES } },
      response: { status: 200, body: { model: 'gpt-4o-2024-08-06', finish_reasons: ['stop'], messages: ANSWERS } },
    });
  });

  test('have the same id when they come again', async () => {
    const told = span({ startMs: Date.now() - 5_000 });
    const ids = async (...spans: readonly ReadableSpan[]) =>
      (await stored(encoding, ...spans)).map(({ row }) => row.id);
    const [first] = await ids(told);
    expect(await ids(told, span(), told)).toEqual([first, expect.not.stringMatching(first ?? ''), first]);
  });

  test('are rows of their own in each workspace that sends them', async () => {
    const told = span();
    const { type, encode } = ENCODINGS[encoding];
    const [own] = await stored(encoding, told);
    const before = log.records.length;
    expect((await post(encode(told), type, { 'x-gw-api-key': OTHER_KEY })).status).toBe(200);
    const rows = [own, ...log.records.slice(before)].map((record) => record?.row);
    expect(rows.map((row) => row?.workspace)).toEqual([TEAM, 'team-b']);
    expect(new Set(rows.map((row) => row?.id)).size).toBe(2);
  });

  test('that failed are errors', async () => {
    const attributes = { ...CALL, 'http.response.status_code': 429, 'error.type': 'rate_limit' };
    const records = await stored(encoding, span({ failed: true }), span({ failed: true, attributes }));
    expect(records.map(({ row }) => row.status)).toEqual([500, 429]);
    expect(records[1]?.row.metadata['error.type']).toBe('rate_limit');
  });

  test('have messages in older forms, too', async () => {
    const model = { 'gen_ai.system': 'aws.bedrock', 'gen_ai.request.model': 'm' };
    const records = await stored(
      encoding,
      span({
        attributes: {
          ...model,
          'gen_ai.prompt.0.role': 'user',
          'gen_ai.prompt.0.content': 'q',
          'gen_ai.completion.0.content': 'a',
        },
      }),
      span({
        attributes: model,
        events: [
          { name: 'gen_ai.user.message', attributes: { content: 'q' } },
          { name: 'gen_ai.choice', attributes: { content: 'a' } },
        ],
      }),
      span({
        attributes: model,
        events: [{ name: 'gen_ai.content.prompt', attributes: { 'gen_ai.prompt': '[{"content":"q"}]' } }],
      }),
    );
    expect(records.map(({ row }) => row.provider)).toEqual(['bedrock', 'bedrock', 'bedrock']);
    const [numbered, events, content] = records.map(contentOf);
    expect(numbered?.request?.body).toMatchObject({ messages: [{ role: 'user', content: 'q' }] });
    expect(numbered?.response?.body).toMatchObject({ messages: [{ content: 'a' }] });
    expect(events?.request?.body).toMatchObject({ messages: [{ role: 'user', content: 'q' }] });
    expect(events?.response?.body).toMatchObject({ messages: [{ role: 'assistant', content: 'a' }] });
    expect(content?.request?.body).toMatchObject({ messages: [{ content: 'q' }] });
  });

  test('that cannot be kept are counted in the answer, and the others are kept', async () => {
    const before = log.records.length;
    const { type, encode } = ENCODINGS[encoding];
    const answer = await post(
      encode(
        ...[span(), span({ startMs: Date.UTC(2001, 0, 1) }), span({ traceId: '0'.repeat(32) })],
        span({ attributes: { 'http.request.header.x-long': 'x'.repeat(40_000) } }),
      ),
      type,
    );
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
    expect(log.records.length - before).toBe(1);
    expect(answer.text).toContain('resourceSpans[0].scopeSpans[0].spans[1]: startTimeUnixNano is from 20');
    if (encoding === 'JSON') expect(answer.json().partialSuccess.rejectedSpans).toBe('3');
    else expect([...answer.bytes.subarray(2, 4)]).toEqual([0x08, 3]); // rejected_spans
  });

  test('keep no credential of attributes', async () => {
    const attributes = {
      ...CALL,
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: `${CANARY} gwk_canary_0123456789 ${KEY}` }]),
      'http.request.header.authorization': [`Bearer ${CANARY}`, `Bearer ${OTHER}`],
      'gen_ai.system_instructions': `first ${OTHER}`,
      'server.address': `ada:${CANARY}@api.openai.com`,
      'url.full': `https://ada:${CANARY}@api.openai.com/v1/chat/completions?key=${CANARY}`,
      'metadata.openai.api_key': 'sk-short',
      'metadata.note': `with ${CANARY}`,
    };
    const records = await stored(encoding, span({ attributes }));
    for (const secret of [CANARY, OTHER, 'gwk_canary', KEY, 'sk-short'])
      expect(JSON.stringify(records)).not.toContain(secret);
    expect(records[0]?.row.metadata).toMatchObject({
      'server.address': 'api.openai.com',
      'openai.api_key': '********',
    });
    expect(records[0]?.row.url).toBe('https://api.openai.com/v1/chat/completions');
  });

  test('have nothing in their row of what was said, whatever it is named', async () => {
    const names = [
      ...['input.value', 'output.value', 'llm.input_messages.0.message.content', 'traceloop.entity.input'],
      ...['langfuse.observation.input', 'gen_ai.content.prompt', 'gen_ai.prompt.0.content', 'ai.prompt', 'note'],
      ...['gen_ai.input.messages', 'metadata', 'metadata.', 'url.query', 'exception.message'],
    ];
    const said = Object.fromEntries(names.map((name) => [name, 'what ada said']));
    const [record] = await stored(
      encoding,
      span({ attributes: { ...said, 'url.path': '/v1/chat/completions?q=what ada said' } }),
    );
    expect(JSON.stringify(record?.row)).not.toContain('ada said');
    expect(record?.row).toMatchObject({ url: '/v1/chat/completions', metadata: { 'service.name': 'shop' } });
  });

  test('are refused as a google.rpc.Status where they are none', async () => {
    const { type } = ENCODINGS[encoding];
    const before = log.records.length;
    const answer = await post('{"resourceSpans":[7]}', type);
    expect([answer.status, answer.headers['content-type']?.split(';')[0]]).toEqual([400, type]);
    if (encoding === 'JSON')
      expect(answer.json()).toMatchObject({ code: 3, message: expect.stringContaining('resourceSpans[0]') });
    else expect([...answer.bytes.subarray(0, 3)]).toEqual([0x08, 3, 0x12]);
    expect(log.records).toHaveLength(before);
  });

  test('are limited in number', async () => {
    const { type, encode } = ENCODINGS[encoding];
    const answer = await post(encode(...Array.from({ length: 2_001 }, () => span({ attributes: {} }))), type);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('more than 2000 spans')]);
  });
});

test('attributes and names that are objects are no failure of the gateway', async () => {
  const odd = { kvlistValue: { values: [{ key: 'toString', value: { intValue: '1' } }] } };
  const named = { kvlistValue: { values: [{ key: { toString: 0 }, value: { stringValue: 'a' } }] } };
  const attributes = [
    { key: 'http.request.header.a', value: odd },
    { key: 'http.request.header.b', value: { arrayValue: { values: [odd] } } },
    { key: 'gen_ai.prompt', value: named },
  ];
  const now = `${Date.now()}000000`;
  const one = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), startTimeUnixNano: now, endTimeUnixNano: now };
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [{ ...one, attributes }] }] }] };
  const answer = await post(JSON.stringify(body), JSON_TYPE);
  expect([answer.status, answer.text]).toEqual([200, '{}']);
});

test('any bytes are spans or refused, and nothing is half stored', async () => {
  const good = protobufOf(span(), span());
  const cut = fc.nat(good.length - 1).map((end) => good.subarray(0, end));
  const turned = fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, byte]) => {
    const bytes = Buffer.from(good);
    bytes[at] = byte;
    return bytes;
  });
  const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(fc.oneof(cut, turned, noise), async (bytes) => {
      const before = log.records.length;
      const { status } = await post(bytes, PROTOBUF);
      if (status !== 200) expect([status, log.records.length]).toEqual([400, before]);
    }),
    { numRuns: 150 },
  );
});

test('a value that is nested for ever, and millions of fields, are refused', async () => {
  const wrap = (inner: Buffer, field: number): Buffer => {
    const length: number[] = [];
    let left = inner.length;
    for (; left >= 0x80; left >>>= 7) length.push((left & 0x7f) | 0x80);
    return Buffer.concat([Buffer.from([(field << 3) | 2, ...length, left]), inner]);
  };
  const millions = await post(gzipSync(Buffer.alloc(6_000_000, Buffer.from([0x0a, 0x00]))), PROTOBUF, {
    'content-encoding': 'gzip',
  });
  expect([millions.status, millions.bytes[1]]).toEqual([400, 3]);
  let value: Buffer = wrap(Buffer.from('deep'), 1);
  for (let depth = 0; depth < 2_000; depth += 1) value = wrap(wrap(value, 1), 5);
  const attribute = wrap(Buffer.concat([wrap(Buffer.from('a'), 1), wrap(value, 2)]), 9);
  const nested = await post(wrap(wrap(wrap(attribute, 2), 2), 1), PROTOBUF);
  expect(nested.status).toBe(200); // its one span has no trace
});

test('the exporter of OpenTelemetry sends them', async () => {
  const before = log.records.length;
  const exporter = new OTLPTraceExporter({
    url: world.url + PATH,
    headers: { 'x-gw-api-key': KEY },
    compression: 'gzip' as never, // the enum of the package is not there at compile time
  });
  const result = await new Promise((resolve) => exporter.export([span(), span()], resolve));
  await exporter.shutdown();
  expect(result).toMatchObject({ code: 0 });
  expect(log.records.length - before).toBe(2);
});

test('another media type is refused', async () => {
  const answer = await post('spans', 'text/plain');
  expect([answer.status, answer.json()]).toEqual([400, { code: 3, message: expect.stringContaining(PROTOBUF) }]);
});
