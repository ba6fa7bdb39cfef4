/** The unmodified Anthropic SDK on providers without the Messages API: docs/behaviour/messages.md. */
import Anthropic from '@anthropic-ai/sdk';
import type { RequestRecord } from '@gatehouse/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, guardrail, KEY, key, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
let thinker: RawUpstream;
let anthropic: Anthropic;
const records: RequestRecord[] = [];

const model = 'mock-small';
const messages = [{ role: 'user' as const, content: 'Say hello' }];
const ask = { model, messages, max_tokens: 100 };
const wave = {
  name: 'wave',
  description: 'Waves a hand',
  input_schema: { type: 'object' as const, properties: { hand: { type: 'string' } }, required: ['hand'] },
};

/** Thinks, and counts what its cache had; asks for a search that is priced. */
const USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 400 },
  completion_tokens_details: { reasoning_tokens: 150 },
};
const CALL = { id: 'call_1', type: 'function', function: { name: 'wave', arguments: '{"usage":{"prompt_tokens":1}}' } };
const envelope = { id: 'c', created: 1, model: 'gpt-4o' };
const THOUGHT = JSON.stringify({
  ...envelope,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', reasoning_content: 'Hm.', content: 'Hello', tool_calls: [CALL] },
      finish_reason: 'stop',
    },
  ],
  usage: USAGE,
});
const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ ...envelope, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const THOUGHTS = [
  chunk({ reasoning_content: 'H' }),
  chunk({ reasoning_content: 'm.' }),
  chunk({ content: 'Hello' }),
  chunk({ tool_calls: [{ index: 0, ...CALL }] }, 'stop'),
  `data: ${JSON.stringify({ ...envelope, choices: [], usage: USAGE })}\n\n`,
  'data: [DONE]\n\n',
].join('');

beforeAll(async () => {
  thinker = await startRawUpstream(async (reply) => {
    const asked = JSON.parse((await reply.request.body).toString());
    const type = asked.stream === true ? 'text/event-stream' : 'application/json';
    await reply.answer(200, asked.stream === true ? THOUGHTS : THOUGHT, { 'content-type': type });
  });
  world = await startWorld({
    sinks: [{ name: 'test', readsUsage: true, record: (record) => void records.push(record) }],
    entries: ({ url }) => [
      key({ config: 'main' }),
      config('main', { provider: '@openai' }),
      config('native-first', {
        strategy: { mode: 'fallback' },
        targets: [
          { provider: '@anthropic', override_params: { model: 'mock-fail-503' } },
          { provider: '@openai', override_params: { seed: 7 } },
        ],
      }),
      config('adapted-first', {
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@openai', override_params: { model: 'mock-fail-503' } }, { provider: '@anthropic' }],
      }),
      config('exact', { provider: '@openai', unsupported_params: 'error' }),
      provider('google', { provider: 'google', customHost: url }),
      provider('cohere', { provider: 'cohere', customHost: url }),
      provider('thinker', { provider: 'openai', customHost: `${thinker.url}/v1` }),
      guardrail('no-secret', [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }]),
      guardrail('redact', [{ id: 'default.pii', parameters: { redact: true, restore: true } }], { deny: false }),
    ],
  });
  anthropic = new Anthropic({ baseURL: world.url, apiKey: KEY, maxRetries: 0 });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await thinker[Symbol.asyncDispose]();
});

const configured = (slug: string) => ({ headers: { 'x-gw-config': slug } });
const failureOf = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => 'answered',
    (error: unknown) => error,
  );

/** The usage and the cost in the record of a call. */
async function recorded(call: () => PromiseLike<unknown>) {
  const before = records.length;
  await call();
  await waitFor(() => records.length > before);
  const { answeredBy } = records.at(-1) ?? {};
  return { usage: answeredBy?.usage, cost: answeredBy?.cost };
}

describe('a message', () => {
  test('is answered by a provider that has chat completions', async () => {
    const { data, response } = await anthropic.messages.create({ ...ask, system: 'Be short.' }).withResponse();
    expect(data).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' });
    expect(data.content).toEqual([{ type: 'text', text: expect.stringContaining('Say hello') }]);
    expect(data.usage.input_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-gw-provider')).toBe('openai');
    const { path, headers } = lastRequest(world.mock);
    expect(path).toBe('/v1/chat/completions');
    expect(lastRequest(world.mock).json()).toEqual({
      model,
      max_completion_tokens: 100,
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Say hello' },
      ],
    });
    expect(JSON.stringify(headers)).not.toContain(KEY);
  });

  test.for(['mock-small', '@google/mock-gemini'])('is streamed as its events: %s', async (asked) => {
    const stream = anthropic.messages.stream({ ...ask, model: asked });
    const seen: string[] = [];
    stream.on('streamEvent', ({ type }) => void seen.push(type));
    expect(await stream.finalText()).toContain('Say hello');
    const message = await stream.finalMessage();
    expect(message.stop_reason).toBe('end_turn');
    expect(message.usage.input_tokens).toBeGreaterThan(0);
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    expect([seen[0], seen[1], ...seen.slice(-3)]).toEqual([
      'message_start',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  test.for(['mock-small', '@google/mock-gemini'])('calls a tool and reads its result: %s', async (asked) => {
    const stream = anthropic.messages.stream({ ...ask, model: asked, tools: [wave], tool_choice: { type: 'any' } });
    const called = await stream.finalMessage();
    expect(called.stop_reason).toBe('tool_use');
    const use = called.content.find((block) => block.type === 'tool_use');
    expect(use).toMatchObject({ name: 'wave', input: { hand: expect.any(String) } });
    const whole = await anthropic.messages.create({
      ...ask,
      model: asked,
      tools: [wave],
      tool_choice: { type: 'any' },
    });
    expect(whole.content.find((block) => block.type === 'tool_use')).toMatchObject({
      name: 'wave',
      input: { hand: expect.any(String) },
    });
    const result = { type: 'tool_result' as const, tool_use_id: use?.id ?? '', content: 'It waved.' };
    const answer = await anthropic.messages.create({
      ...ask,
      model: asked,
      tools: [wave],
      messages: [...messages, { role: 'assistant', content: called.content }, { role: 'user', content: [result] }],
    });
    expect(answer.stop_reason).toBe('end_turn');
    expect(JSON.stringify(answer.content)).toContain('It waved.');
  });

  test('says what the model thought, and the same whole and streamed', async () => {
    const asked = { ...ask, model: '@thinker/gpt-4o', thinking: { type: 'enabled' as const, budget_tokens: 1024 } };
    const whole = await anthropic.messages.create(asked);
    expect(whole.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 'call_1', name: 'wave', input: { usage: { prompt_tokens: 1 } } },
    ]);
    expect(whole).toMatchObject({
      stop_reason: 'tool_use',
      usage: { input_tokens: 600, cache_read_input_tokens: 400, output_tokens: 200 },
    });
    const streamed = await anthropic.messages.stream(asked).finalMessage();
    expect(streamed).toMatchObject({ content: whole.content, stop_reason: 'tool_use', usage: whole.usage });
  });

  test('is counted and priced like the chat that it is', async () => {
    const asked = { ...ask, model: '@thinker/gpt-4o' };
    const chat = await recorded(() =>
      world.send('/v1/chat/completions', { body: { model: asked.model, messages, max_tokens: 100 } }),
    );
    expect(chat.usage).toMatchObject({ input: 1000, cached: 400, output: 200, reasoning: 150 });
    expect(await recorded(() => anthropic.messages.create(asked))).toEqual(chat);
    expect(await recorded(() => anthropic.messages.stream(asked).finalMessage())).toEqual(chat);
  });
});

describe('a config with targets of both kinds', () => {
  test('answers natively first, then by a chat', async () => {
    const { data, response } = await anthropic.messages.create(ask, configured('native-first')).withResponse();
    expect(data.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('Say hello') });
    expect(response.headers.get('x-gw-provider')).toBe('openai');
    expect(lastRequest(world.mock).json()).toMatchObject({ seed: 7, max_completion_tokens: 100 });
    const text = await anthropic.messages.stream(ask, configured('native-first')).finalText();
    expect(text).toContain('Say hello');
  });

  test('answers by a chat first, then natively', async () => {
    const { data, response } = await anthropic.messages.create(ask, configured('adapted-first')).withResponse();
    expect(data.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('Say hello') });
    expect(response.headers.get('x-gw-provider')).toBe('anthropic');
    expect(lastRequest(world.mock).json()).toMatchObject({ max_tokens: 100 });
  });
});

test('a conversation goes on with another target', async () => {
  const asked = { ...ask, model: '@thinker/gpt-4o' };
  const { content } = await anthropic.messages.create(asked);
  const result = { type: 'tool_result' as const, tool_use_id: 'call_1', content: 'It waved.' };
  const next = {
    messages: [...messages, { role: 'assistant' as const, content }, { role: 'user' as const, content: [result] }],
  };
  const native = await anthropic.messages.create({ ...ask, ...next, model: '@anthropic/mock-claude' });
  expect(JSON.stringify(native.content)).toContain('It waved.');
  const sent = JSON.stringify(lastRequest(world.mock).json());
  expect(sent).toContain('tool_use');
  expect(sent, 'thinking without a signature is refused upstream').not.toContain('thinking');
});

describe('an error', () => {
  test.for([
    { asked: 'mock-fail-400', kind: Anthropic.BadRequestError },
    { asked: 'mock-fail-401', kind: Anthropic.AuthenticationError },
    { asked: 'mock-fail-429', kind: Anthropic.RateLimitError },
    { asked: 'mock-fail-500', kind: Anthropic.InternalServerError },
  ])('of the provider is of the class of the client: $asked', async ({ asked, kind }) => {
    const failure = await failureOf(anthropic.messages.create({ ...ask, model: asked }));
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ error: { type: 'error', error: { message: expect.any(String) } } });
  });

  test.for([{ asked: 'mock-cut-600' }, { asked: 'mock-malformed-json' }])(
    'in the middle of a stream is an event of the client: $asked',
    async ({ asked }) => {
      const stream = await anthropic.messages.create({ ...ask, model: asked, stream: true });
      const seen: string[] = [];
      const failure = await failureOf(
        (async () => {
          for await (const { type } of stream) seen.push(type);
        })(),
      );
      expect(failure).toBeInstanceOf(Anthropic.APIError);
      expect(failure).toMatchObject({ error: { type: 'error', error: { type: 'stream_error' } } });
      expect(seen).not.toContain('message_stop');
    },
  );

  test('that a provider reports in a stream is an event of the client', async () => {
    const failure = await failureOf(anthropic.messages.stream({ ...ask, model: 'mock-error-event' }).finalMessage());
    expect(failure).toBeInstanceOf(Anthropic.APIError);
  });

  test('about a part names its place in the body of the client', async () => {
    const before = world.mock.requests.length;
    const document = {
      type: 'document' as const,
      source: { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'cGRm' },
    };
    const failure = await failureOf(
      anthropic.messages.create({
        ...ask,
        model: '@cohere/command',
        system: 'Be short.',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Read' }, document] }],
      }),
    );
    expect(failure).toMatchObject({
      status: 400,
      error: { error: { code: 'content_unsupported', param: 'messages[0].content[1]' } },
    });
    expect(world.mock.requests).toHaveLength(before);
  });
});

describe('parameters that the provider does not have', () => {
  const unsupported = { ...ask, top_k: 5, service_tier: 'standard_only' as const };

  test('are left out, and named as the client calls them', async () => {
    const { response } = await anthropic.messages.create(unsupported).withResponse();
    expect(response.headers.get('x-gw-dropped-params')).toBe('top_k, service_tier');
    expect(lastRequest(world.mock).json()).not.toHaveProperty('top_k');
    const both = { ...ask, model: '@google/mock-gemini', top_k: 5, metadata: { user_id: 'u' } };
    const other = await anthropic.messages.create(both).withResponse();
    expect(other.response.headers.get('x-gw-dropped-params')).toBe('metadata.user_id');
    expect(lastRequest(world.mock).json()).toMatchObject({ generationConfig: { topK: 5 } });
  });

  test('are refused where the config says so', async () => {
    const failure = await failureOf(anthropic.messages.create(unsupported, configured('exact')));
    expect(failure).toMatchObject({
      status: 400,
      error: { error: { code: 'parameter_unsupported', param: 'top_k' } },
    });
  });
});

describe('guardrails', () => {
  const guarded = (hooks: object) => ({
    headers: { 'x-gw-config': JSON.stringify({ provider: '@openai', ...hooks }) },
  });
  const saying = (content: string) => ({ ...ask, messages: [{ role: 'user' as const, content }] });

  test('deny a request before it is sent', async () => {
    const before = world.mock.requests.length;
    const failure = await failureOf(
      anthropic.messages.create(saying('a SECRET'), guarded({ input_guardrails: ['no-secret'] })),
    );
    expect(failure).toMatchObject({ status: 446, error: { type: 'error' } });
    expect(world.mock.requests).toHaveLength(before);
  });

  test('deny an answer', async () => {
    const body = saying('a SECRET');
    const failure = await failureOf(anthropic.messages.create(body, guarded({ output_guardrails: ['no-secret'] })));
    expect(failure).toMatchObject({ status: 446, error: { type: 'error' } });
  });

  test.for([{ stream: false }, { stream: true }])(
    'hide from the provider what the client gets back, stream: $stream',
    async ({ stream }) => {
      const body = saying('Write to jane.doe@example.com');
      const options = guarded({ input_guardrails: ['redact'] });
      const message = stream
        ? await anthropic.messages.stream(body, options).finalMessage()
        : await anthropic.messages.create(body, options);
      expect(JSON.stringify(message.content)).toContain('jane.doe@example.com');
      expect(JSON.stringify(lastRequest(world.mock).json())).not.toContain('jane.doe');
    },
  );
});

test('tokens are counted by providers that have the endpoint, and by no other', async () => {
  const failure = await failureOf(anthropic.messages.countTokens({ model, messages }));
  expect(failure).toMatchObject({
    status: 400,
    error: { type: 'error', error: { code: 'operation_unsupported', message: expect.stringContaining('openai') } },
  });
});
