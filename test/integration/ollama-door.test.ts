/** The API of Ollama over providers that do not speak it. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, guardrail, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', record: (record) => void records.push(record) };

beforeAll(async () => {
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      provider('tuned', {
        customHost: `${url}/v1`,
        models: ['mine'],
        modelNames: { mine: 'My model' },
        baseModels: { mine: 'mock-small' },
      }),
      provider('ollama', { provider: 'ollama', customHost: url }),
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
      guardrail('no-secrets', [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }]),
      config('guarded', { provider: '@openai', input_guardrails: ['no-secrets'] }),
      config('cached', { provider: '@openai', cache: { mode: 'simple' } }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  world.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const messages = [{ role: 'user', content: 'Hello llama' }];
const linesOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const tools = [
  {
    type: 'function',
    function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];

describe.each(['@openai/mock-small', '@claude/claude-sonnet-4-5'])('with %s', (model) => {
  test('a chat is answered whole', async () => {
    const { status, json, headers } = await post('/api/chat', {
      model,
      messages,
      stream: false,
      options: { num_predict: 50, mirostat: 1, top_k: 3 },
    });
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      ...{
        model,
        done: true,
        done_reason: 'stop',
        eval_count: expect.any(Number),
        prompt_eval_count: expect.any(Number),
      },
      message: { role: 'assistant', content: expect.stringContaining('Hello llama') },
    });
    expect(headers['x-gw-dropped-params']).toContain('options.mirostat');
  });

  test('a chat is streamed as lines unless the client wants none', async () => {
    const { text, headers } = await post('/api/chat', { model, messages });
    expect(headers['content-type']).toBe('application/x-ndjson');
    const lines = linesOf(text);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.map(({ message }) => (message as { content: string }).content).join('')).toContain('Hello llama');
    expect(lines.map(({ done }) => done)).toEqual([...lines.slice(1).map(() => false), true]);
    expect(lines.at(-1)).toMatchObject({ done_reason: 'stop', eval_count: expect.any(Number) });
  });

  test.for([true, false])('tools are called with objects as arguments, streamed: %s', async (stream) => {
    const { text } = await post('/api/chat', { model, messages, tools, stream });
    const calls = linesOf(text).flatMap(({ message }) => (message as { tool_calls?: object[] }).tool_calls ?? []);
    expect(calls).toMatchObject([{ function: { name: 'get_weather', arguments: expect.any(Object) } }]);
  });

  test('a prompt is answered', async () => {
    const { json } = await post('/api/generate', { model, prompt: 'Hello prompt', system: 'Be short.', stream: false });
    expect(json()).toMatchObject({ done: true, response: expect.stringContaining('Hello prompt') });
  });
});

test.for([
  { model: '@ollama/qwen3', sent: { think: false }, dropped: undefined },
  { model: '@openai/mock-small', sent: {}, dropped: 'think' },
])('not to think is said to a server of Ollama, and named for others: $model', async ({ model, sent, dropped }) => {
  const { status, headers } = await post('/api/chat', { model, messages, stream: false, think: false });
  expect([status, headers['x-gw-dropped-params']]).toEqual([200, dropped]);
  const { think, reasoning_effort } = JSON.parse(String(lastRequest(world.mock).body));
  expect({ think, reasoning_effort }).toEqual(sent);
});

test('images and results of tools reach the provider', async () => {
  const image = 'iVBORw0KGgoAAAANSUhEUg==';
  await post('/api/chat', {
    model: '@openai/mock-small',
    stream: false,
    messages: [
      { role: 'user', content: 'Look', images: [image] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'a', arguments: { x: 1 } } }, { function: { name: 'b', arguments: {} } }],
      },
      { role: 'tool', content: 'of b', tool_name: 'b' },
      { role: 'tool', content: 'of a', tool_name: 'a' },
    ],
  });
  expect(JSON.parse(String(lastRequest(world.mock).body))).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
        ],
      },
      { tool_calls: [{ id: 'call_0', function: { name: 'a', arguments: '{"x":1}' } }, { id: 'call_1' }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'of b' },
      { role: 'tool', tool_call_id: 'call_0', content: 'of a' },
    ],
  });
});

test('vectors are given in both forms', async () => {
  const model = '@openai/text-embedding-3-small';
  const { json } = await post('/api/embed', { model, input: ['one', 'two'] });
  expect(json()).toMatchObject({ model, embeddings: [expect.any(Array), expect.any(Array)] });
  expect((await post('/api/embeddings', { model, prompt: 'one' })).json()).toEqual({ embedding: expect.any(Array) });
});

test('models and the version are told', async () => {
  const { json } = await world.send('/api/tags', { headers: { 'x-gw-provider': '@openai' } });
  expect(json()).toMatchObject({
    models: expect.arrayContaining([expect.objectContaining({ details: expect.any(Object) })]),
  });
  expect((await world.send('/api/version')).json()).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});

describe('a model is shown', () => {
  test('as its account and its provider have it', async () => {
    const { status, json, text } = await post('/api/show', { model: '@tuned/mine' });
    expect(status, text).toBe(200);
    expect(json()).toMatchObject({
      details: { parent_model: 'mock-small', family: 'openai', families: [] },
      model_info: { 'general.architecture': 'openai', 'general.basename': 'My model' },
      capabilities: ['completion', 'tools', 'vision', 'embedding'],
    });
  });

  test.for<[rule: string, body: object, headers: Readonly<Record<string, string>>]>([
    ['by its older name', { name: '@claude/claude-sonnet-4-5' }, {}],
    ['of the account of a header', { model: 'claude-sonnet-4-5' }, { 'x-gw-provider': '@claude' }],
    ['of the account of a config', { model: 'any' }, { 'x-gw-config': 'guarded' }],
    ['of a provider with a credential of the caller', { model: 'any' }, { 'x-gw-provider': 'groq' }],
  ])('%s, without a call', async ([, body, headers]) => {
    const before = world.mock.requests.length;
    const { status, json, text } = await post('/api/show', body, headers);
    expect([status, json()], text).toMatchObject([200, { capabilities: expect.arrayContaining(['completion']) }]);
    expect(world.mock.requests.length).toBe(before);
  });

  test.for<[rule: string, status: number, body: object, headers: Readonly<Record<string, string>>]>([
    ['not on the list of its account', 404, { model: '@tuned/other' }, {}],
    ['without an account', 404, { model: 'mock-small' }, {}],
    ['of no account', 400, { model: '@nobody/mock-small' }, {}],
    ['without a name', 400, {}, {}],
  ])('but not one %s', async ([, want, body, headers]) => {
    const { status, json } = await post('/api/show', body, headers);
    expect([status, json()]).toEqual([want, { error: expect.any(String) }]);
  });

  test('and none is running', async () => {
    expect((await world.send('/api/ps')).json()).toEqual({ models: [] });
  });
});

describe('errors are texts', () => {
  test.for<[string, number, object]>([
    ['of the gateway', 400, { model: '@openai/mock-small', messages: 7 }],
    ['of the provider', 429, { model: '@openai/mock-fail-429', messages }],
    ['of a wrong role', 400, { model: '@openai/mock-small', messages: [{ role: 'x', content: '' }] }],
    [
      'of an image that is none',
      400,
      { model: '@openai/mock-small', messages: [{ role: 'user', content: '', images: ['x'] }] },
    ],
    ['of options that are none', 400, { model: '@openai/mock-small', messages, options: 7 }],
  ])('%s', async ([, status, body]) => {
    const answer = await post('/api/chat', body);
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ error: expect.any(String) });
  });

  test('of a key', async () => {
    const answer = await post('/api/chat', { model: 'm', messages }, { 'x-gw-api-key': 'gwk_wrong' });
    expect(answer.status).toBe(401);
    expect(answer.json()).toEqual({ error: expect.any(String) });
  });
});

test('guardrails see a chat', async () => {
  const body = { model: 'mock-small', messages: [{ role: 'user', content: 'a secret' }], stream: false };
  const { status, json } = await post('/api/chat', body, { 'x-gw-config': 'guarded' });
  expect(status).toBe(446);
  expect(json()).toMatchObject({ error: expect.any(String) });
});

test.for([true, false])('the cache answers what was asked before, streamed: %s', async (stream) => {
  const body = { model: 'mock-small', messages: [{ role: 'user', content: `Cached ${stream}` }], stream };
  const ask = () => post('/api/chat', body, { 'x-gw-config': 'cached' });
  const first = await ask();
  await waitFor(async () => {
    const again = await ask();
    expect(again.headers['x-gw-cache-status']).toBe('HIT');
    const textIn = (text: string) =>
      linesOf(text)
        .map(({ message }) => (message as { content: string }).content)
        .join('');
    expect(textIn(again.text)).toBe(textIn(first.text));
    return true;
  });
});

test('records have the usage of both kinds of answers', async () => {
  for (const stream of [true, false]) {
    const { headers } = await post('/api/chat', { model: '@openai/mock-small', messages, stream });
    const id = headers['x-gw-trace-id'];
    const record = await waitFor(() => records.find(({ request }) => request.trace.traceId === id));
    expect(record).toMatchObject({
      request: { operation: 'ollamaChat' },
      attempts: [{ usage: { input: 3, output: 7, total: 10 } }],
    });
  }
});
