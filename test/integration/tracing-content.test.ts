/** Prompts and answers on spans, as a collector gets them: docs/behaviour/tracing.md#content. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../kit/otlp-receiver.ts';
import { memoryLog } from '../kit/request-log.ts';
import { type Entries, KEY, organisation, TEAM, workspace } from '../kit/snapshot.ts';

const CONTENT = ['gen_ai.system_instructions', 'gen_ai.input.messages', 'gen_ai.output.messages'] as const;
const VIA = { 'x-gw-provider': '@openai' };
const GATEWAY_KEY = 'gwk_canary_0123456789abcdef0123456789';
/** What no span may show. */
const SECRETS = ['sk-openai-secret', 'sk-anthropic-secret', KEY, GATEWAY_KEY, 'QUJDREVG'];

let traces = 0;
const newTrace = (): string => {
  traces += 1;
  return traces.toString(16).padStart(32, 'c');
};

interface Traced extends AsyncDisposable {
  readonly world: World;
  readonly collector: OtlpReceiver;
  /** The span of the attempt. */
  ask(body: object | string, more?: { path?: string; headers?: Record<string, string> }): Promise<ReceivedSpan>;
}

async function start(
  options: { entries?: () => Entries; env?: Record<string, string>; log?: true } = {},
): Promise<Traced> {
  const { entries = () => [], env = {}, log } = options;
  const collector = await startOtlpReceiver();
  const world = await startWorld({
    entries,
    requestLog: log && memoryLog(),
    env: {
      ...{ OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      ...env,
    },
  });
  return {
    world,
    collector,
    ask: async (body, { path = '/v1/chat/completions', headers = {} } = {}) => {
      const trace = newTrace();
      await world.send(path, { headers: { ...VIA, traceparent: `00-${trace}-00f067aa0ba902b7-01`, ...headers }, body });
      const attempt = (await collector.trace(trace, 2)).find(({ kind }) => kind === 'client');
      if (attempt === undefined) throw new Error('no attempt has a span');
      return attempt;
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await collector[Symbol.asyncDispose]();
    },
  };
}

const chat = (content: unknown, more: object = {}) => ({
  model: 'mock-small',
  messages: [{ role: 'user', content }],
  ...more,
});
const contentOf = ({ attributes }: ReceivedSpan) =>
  Object.fromEntries(CONTENT.map((name) => [name, JSON.parse(String(attributes[name] ?? 'null'))]));
const hasContent = ({ attributes }: ReceivedSpan): boolean => CONTENT.some((name) => name in attributes);
const text = (content: unknown) => ({ type: 'text', content });
const saying = (said: string) => expect.stringContaining(said);

describe('a gateway whose spans show content', () => {
  let traced: Traced;
  beforeAll(async () => {
    traced = await start();
  });
  afterAll(() => traced[Symbol.asyncDispose]());

  test.for([
    { how: 'whole', stream: false, headers: VIA },
    { how: 'as a stream', stream: true, headers: VIA },
    { how: 'of a provider with another format', stream: false, headers: { 'x-gw-provider': '@anthropic' } },
    { how: 'of such a one as a stream', stream: true, headers: { 'x-gw-provider': '@anthropic' } },
  ])('has those of a chat, $how', async ({ stream, headers }) => {
    const span = await traced.ask(chat('hello span', { stream, max_tokens: 50 }), { headers });
    expect(contentOf(span)).toEqual({
      'gen_ai.system_instructions': null,
      'gen_ai.input.messages': [{ role: 'user', parts: [text('hello span')] }],
      'gen_ai.output.messages': [{ role: 'assistant', parts: [text(saying('hello span'))], finish_reason: 'stop' }],
    });
  });

  test('has those of messages, with what stands beside them', async () => {
    const body = chat([{ type: 'text', text: 'hello message' }], { system: 'be brief', max_tokens: 50 });
    const span = await traced.ask(body, { path: '/v1/messages', headers: { 'x-gw-provider': '@anthropic' } });
    expect(contentOf(span)).toEqual({
      'gen_ai.system_instructions': [text('be brief')],
      'gen_ai.input.messages': [{ role: 'user', parts: [text('hello message')] }],
      'gen_ai.output.messages': [{ role: 'assistant', parts: [text(saying('hello message'))], finish_reason: 'stop' }],
    });
  });

  test('has those of responses', async () => {
    const body = { model: 'mock-small', input: 'hello response', instructions: 'be brief' };
    const span = await traced.ask(body, { path: '/v1/responses' });
    expect(contentOf(span)).toEqual({
      'gen_ai.system_instructions': [text('be brief')],
      'gen_ai.input.messages': [{ role: 'user', parts: [text('hello response')] }],
      'gen_ai.output.messages': [{ role: 'assistant', parts: [text(saying('hello response'))], finish_reason: 'stop' }],
    });
  });

  test('has what the config made of the request', async () => {
    const config = { provider: '@openai', override_params: { messages: [{ role: 'user', content: 'overridden' }] } };
    const span = await traced.ask(chat('given'), { headers: { 'x-gw-config': JSON.stringify(config) } });
    expect(contentOf(span)['gen_ai.input.messages']).toEqual([{ role: 'user', parts: [text('overridden')] }]);
  });

  test('has those of the attempt that answered alone', async () => {
    const targets = ['mock-fail-503', 'mock-small'].map((model) => ({
      provider: '@openai',
      override_params: { model },
    }));
    const config = { strategy: { mode: 'fallback' }, targets };
    const trace = newTrace();
    await traced.world.send('/v1/chat/completions', {
      headers: { 'x-gw-config': JSON.stringify(config), traceparent: `00-${trace}-00f067aa0ba902b7-01` },
      body: chat('hello fallback'),
    });
    const attempts = (await traced.collector.trace(trace, 3)).filter(({ kind }) => kind === 'client');
    expect(attempts.map(hasContent)).toEqual([false, true]);
  });

  test('has the question alone of an answer that failed', async () => {
    const span = await traced.ask(chat('hello failure', { model: 'mock-fail-503' }));
    expect(contentOf(span)).toMatchObject({
      'gen_ai.input.messages': [{ role: 'user', parts: [text('hello failure')] }],
      'gen_ai.output.messages': null,
    });
  });

  test('has no secret and no media in them', async () => {
    const content = [
      { type: 'text', text: `a sk-openai-secret b ${GATEWAY_KEY} c ${KEY} d ESCAPED` },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJDREVG' } },
    ];
    const body = JSON.stringify(chat(content)).replace('ESCAPED', `\\u0067${GATEWAY_KEY.slice(1)}`);
    const span = await traced.ask(body, { headers: { 'content-type': 'application/json' } });
    expect(contentOf(span)['gen_ai.input.messages']).toEqual([
      { role: 'user', parts: [text('a [redacted] b [redacted] c [redacted] d [redacted]'), { type: 'image' }] },
    ]);
    expect(contentOf(span)['gen_ai.output.messages']).toMatchObject([{ role: 'assistant' }]);
    for (const { body } of traced.collector.requests)
      for (const secret of SECRETS) expect(body.includes(secret), secret).toBe(false);
  });

  test('has none of embeddings, of vectors and of what has no messages', async () => {
    const body = { model: 'mock-embed', input: 'hello vector' };
    expect(hasContent(await traced.ask(body, { path: '/v1/embeddings' }))).toBe(false);
  });

  test('has none where the request does not want them', async () => {
    const headers = { 'x-gw-debug': 'false' };
    expect(hasContent(await traced.ask(chat('quiet one'), { headers }))).toBe(false);
    expect(traced.collector.requests.some(({ body }) => body.includes('quiet one'))).toBe(false);
  });

  test('has none of a trace that is not exported', async () => {
    const traceparent = `00-${newTrace()}-00f067aa0ba902b7-00`;
    await traced.world.send('/v1/chat/completions', { headers: { ...VIA, traceparent }, body: chat('unsampled one') });
    await traced.ask(chat('a later one'));
    expect(traced.collector.requests.some(({ body }) => body.includes('unsampled one'))).toBe(false);
  });
});

interface Given {
  readonly env?: Record<string, string>;
  readonly entries?: () => Entries;
  readonly headers?: Record<string, string>;
}

test.for([
  { rule: 'are not asked for', env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'false' } },
  { rule: 'have no room', env: { GATEHOUSE_LOGS_BODY_BYTES: '0' } },
  { rule: 'are of a workspace that keeps none', entries: () => [workspace(TEAM, { logging: { bodies: 'none' } })] },
  {
    rule: 'are of a workspace that keeps those of failures',
    headers: {},
    entries: () => [workspace(TEAM, { logging: { bodies: 'failed' } })],
  },
  {
    rule: 'are of an organisation that keeps none, whatever others say',
    entries: () => [
      organisation({ logging: { bodies: 'none', enforced: true } }),
      workspace(TEAM, { logging: { bodies: 'all' } }),
    ],
  },
] as const)('spans show no prompts and answers where they $rule, with and without a request log', async (given) => {
  const { env = {}, entries = () => [], headers = { 'x-gw-debug': 'true' } } = given as Given;
  for (const log of [undefined, true] as const) {
    await using traced = await start({ env, entries, ...(log && { log }) });
    expect(hasContent(await traced.ask(chat('canary-content'), { headers }))).toBe(false);
    expect(traced.collector.requests.some(({ body }) => body.includes('canary-content'))).toBe(false);
  }
});

test('content is cut to its bound and stays JSON', async () => {
  await using traced = await start({ env: { OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '200' }, log: true });
  const messages = ['old', 'x'.repeat(10_000), 'new'].map((content) => ({ role: 'user', content }));
  const span = await traced.ask({ model: 'mock-small', messages });
  expect(contentOf(span)['gen_ai.input.messages']).toEqual([{ role: 'user', parts: [text('new')] }]);
  for (const name of CONTENT) expect(String(span.attributes[name] ?? '').length).toBeLessThanOrEqual(200);
});
