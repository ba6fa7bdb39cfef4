/** The API of Ollama in front of its own servers: what only they can do reaches them, and what they say comes back. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, guardrail, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', record: (record) => void records.push(record) };

const HIDES = [{ id: 'default.regexReplace', parameters: { rule: 'Mock', redactText: '[gone]' } }];
const FAULTS = [
  ...['x-mock-cut-after-bytes', 'x-mock-error-event', 'x-mock-error-event-after', 'x-mock-malformed', 'x-mock-no-done'],
].join(',');

beforeAll(async () => {
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      provider('ollama', { provider: 'ollama', customHost: url }),
      guardrail('no-secrets', [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }]),
      guardrail('hidden', HIDES),
      guardrail('hidden-held', HIDES, { buffer: true }),
      guardrail('hidden-windows', HIDES, { window: 50 }),
      config('guarded', { provider: '@ollama', input_guardrails: ['no-secrets'] }),
      ...['hidden', 'hidden-held', 'hidden-windows'].map((name) =>
        config(name, { provider: '@ollama', output_guardrails: [name] }),
      ),
      config('cached', { provider: '@ollama', cache: { mode: 'simple' } }),
      config('impatient', { provider: '@ollama', request_timeout: 400 }),
      config('overridden', {
        provider: '@ollama',
        override_params: { temperature: 0, reasoning_effort: 'low', keep_alive: '1h', options: { num_ctx: 1024 } },
      }),
      config('bounded', {
        provider: '@ollama',
        override_params: {
          ...{ max_tokens: 5, temperature: 0, top_p: 0.1, seed: 7, stop: ['HALT'] },
          ...{ presence_penalty: 1, frequency_penalty: 1, top_k: 3 },
        },
      }),
      config('fallback', {
        strategy: { mode: 'fallback' },
        targets: [
          { provider: '@ollama', override_params: { model: 'mock-fail-503' } },
          { provider: '@openai', override_params: { model: 'mock-small' } },
        ],
      }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const MODEL = '@ollama/mock-small';
const messages = [{ role: 'user', content: 'Hello llama' }];
const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  world.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: MODEL, ...body }),
  });
const withConfig = (name: string) => ({ 'x-gw-config': name });
interface Line {
  readonly message?: { readonly content: string; readonly thinking?: string; readonly tool_calls?: readonly object[] };
  readonly done?: boolean;
  readonly error?: string;
}
const linesOf = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const textIn = (lines: readonly Line[]): string => lines.map(({ message }) => message?.content ?? '').join('');
const sent = (): { path: string; body: Record<string, unknown> } => {
  const { path, body } = lastRequest(world.mock);
  return { path, body: JSON.parse(String(body)) };
};

const SETTINGS = {
  ...{ keep_alive: '10m', think: true, format: 'json', logprobs: true, top_logprobs: 1, truncate: false, shift: false },
  options: { num_ctx: 8192, mirostat: 2, temperature: 0.5, num_predict: -2, stop: ['END'] },
};

describe('a chat', () => {
  test('goes to the call of the server with all that the client says', async () => {
    const { status, headers, text } = await post('/api/chat', { messages, stream: false, ...SETTINGS });
    expect([status, headers['x-gw-dropped-params']], text).toEqual([200, undefined]);
    expect(sent()).toEqual({ path: '/api/chat', body: { model: 'mock-small', messages, stream: false, ...SETTINGS } });
  });

  test('is answered with thoughts, log probabilities, counts and durations', async () => {
    const { json } = await post('/api/chat', { messages, stream: false, think: 'high', logprobs: true });
    expect(json()).toMatchObject({
      ...{ model: MODEL, done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: expect.any(Number) },
      ...{
        total_duration: 5_000_000,
        load_duration: 1_000_000,
        prompt_eval_duration: 1_500_000,
        eval_duration: 2_500_000,
      },
      message: { role: 'assistant', content: 'Mock answer to: Hello llama', thinking: expect.stringContaining('mock') },
      logprobs: expect.arrayContaining([expect.objectContaining({ token: 'Mock ' })]),
    });
  });

  test('is streamed with all of this', async () => {
    const { text, headers } = await post('/api/chat', { messages, think: true, logprobs: true });
    expect(headers['content-type']).toBe('application/x-ndjson');
    const lines = linesOf(text);
    expect(textIn(lines)).toBe('Mock answer to: Hello llama');
    expect(lines.map(({ message }) => message?.thinking ?? '').join('')).toContain('I am a mock');
    expect(lines).toContainEqual(expect.objectContaining({ logprobs: [expect.objectContaining({ token: 'Mock ' })] }));
    expect(lines.at(-1)).toMatchObject({
      done: true,
      done_reason: 'stop',
      total_duration: 5_000_000,
      load_duration: 1_000_000,
    });
  });

  test.for([true, false])('calls tools and takes their results, streamed: %s', async (stream) => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
    const asked = await post('/api/chat', { messages, tools, stream });
    const calls = linesOf(asked.text).flatMap(({ message }) => message?.tool_calls ?? []);
    expect(calls).toMatchObject([{ function: { name: 'get_weather', arguments: { city: 'Paris' } } }]);
    const said = { role: 'assistant', content: '', thinking: 'Hm', tool_calls: calls };
    const result = { role: 'tool', tool_name: 'get_weather', content: '18 degrees' };
    const answer = await post('/api/chat', { messages: [...messages, said, result], tools, stream });
    expect(textIn(linesOf(answer.text))).toContain('18 degrees');
    expect(sent().body['messages']).toMatchObject([...messages, said, result]);
  });

  test('has the functions among its tools, and the rest is named', async () => {
    const call = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
    const all = await post('/api/chat', { messages, stream: false, tools: [call] });
    expect([sent().body['tools'], all.headers['x-gw-dropped-params']]).toEqual([[call], undefined]);
    const some = await post('/api/chat', { messages, stream: false, tools: [call, { type: 'web_search' }] });
    expect([sent().body['tools'], some.headers['x-gw-dropped-params']]).toEqual([[call], 'tools']);
  });

  test('is refused by the name of what is wrong', async () => {
    const json = `{"model":"${MODEL}","messages":[{"role":"user","content":"a"}],"options":{"num_keep":1e999}}`;
    for (const [name, body] of [
      ['options.num_keep', json],
      ['options.stop[1]', json.replace('"num_keep":1e999', '"stop":["a",5]')],
    ] as const) {
      const answer = await world.send('/api/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect([answer.status, answer.json()]).toEqual([400, { error: expect.stringContaining(name) }]);
    }
  });

  test('loads and unloads a model', async () => {
    const unload = { stream: false, keep_alive: 0 };
    expect((await post('/api/chat', { messages: [], ...unload })).json()).toMatchObject({ done_reason: 'unload' });
    expect((await post('/api/generate', unload)).json()).toMatchObject({ done_reason: 'unload', response: '' });
    expect((await post('/api/generate', { stream: false })).json()).toMatchObject({ done_reason: 'load' });
  });

  test('of one prompt is one', async () => {
    const asked = { prompt: 'Hello prompt', system: 'Be short.', options: { num_ctx: 8192 }, stream: false };
    const { json } = await post('/api/generate', asked);
    expect(json()).toMatchObject({ response: 'Mock answer to: Hello prompt', load_duration: 1_000_000 });
    expect(sent()).toMatchObject({ path: '/api/chat', body: { options: { num_ctx: 8192 } } });
  });

  test('has what a config says in its place', async () => {
    const asked = { messages, stream: false, think: true, options: { num_ctx: 8192, temperature: 1 }, keep_alive: 0 };
    await post('/api/chat', { ...asked, model: 'mock-small' }, withConfig('overridden'));
    expect(sent().body).toMatchObject({ options: { num_ctx: 1024, temperature: 0 }, think: 'low', keep_alive: '1h' });
    const more = { options: { num_ctx: 8192, mirostat: 2 } };
    const { headers } = await post('/api/chat', { ...asked, ...more, model: 'mock-small' }, withConfig('overridden'));
    expect(sent().body['options']).toEqual({ num_ctx: 1024, mirostat: 2, temperature: 0 });
    expect(headers['x-gw-dropped-params']).toBeUndefined();
    await post('/api/embed', { input: 'a', ...more, model: 'mock-small' }, withConfig('overridden'));
    expect(sent().body['options']).toEqual({ num_ctx: 1024, mirostat: 2 });
  });

  test.for([-1, -2, 4000])('has the bounds of a config, where the client asks for %i tokens', async (num_predict) => {
    const settings = { temperature: 2, top_p: 1, seed: 1, stop: ['END'], presence_penalty: 0, frequency_penalty: 0 };
    const options = { num_predict, ...settings, top_k: 99, num_ctx: 512 };
    await post('/api/chat', { model: 'mock-small', messages, stream: false, options }, withConfig('bounded'));
    expect(sent().body['options']).toEqual({
      ...{ num_predict: 5, temperature: 0, top_p: 0.1, seed: 7, stop: ['HALT'] },
      ...{ presence_penalty: 1, frequency_penalty: 1, top_k: 3, num_ctx: 512 },
    });
  });
});

describe('vectors', () => {
  test('are made as the client says', async () => {
    const asked = {
      input: ['one', 'two'],
      dimensions: 4,
      truncate: false,
      options: { num_ctx: 512 },
      keep_alive: '1m',
    };
    const { json, headers } = await post('/api/embed', asked);
    expect(json()).toMatchObject({
      ...{ model: MODEL, prompt_eval_count: 2, total_duration: 2_000_000, load_duration: 1_000_000 },
      embeddings: [expect.any(Array), expect.any(Array)],
    });
    expect(headers['x-gw-dropped-params']).toBeUndefined();
    expect(sent()).toEqual({ path: '/api/embed', body: { model: 'mock-small', ...asked } });
  });

  test('have their older form', async () => {
    const { json } = await post('/api/embeddings', { prompt: 'one', options: { num_ctx: 512 } });
    expect(json()).toEqual({ embedding: expect.any(Array) });
    expect(sent()).toEqual({
      path: '/api/embed',
      body: { model: 'mock-small', input: 'one', options: { num_ctx: 512 } },
    });
  });
});

describe('vectors of nothing', () => {
  test('are none, as of a server', async () => {
    for (const given of [{}, { input: '' }, { input: [] }]) {
      const { status, json } = await post('/api/embed', given);
      expect([status, json()]).toMatchObject([200, { model: MODEL, embeddings: [] }]);
    }
    for (const given of [{}, { prompt: '' }]) {
      const { status, json } = await post('/api/embeddings', given);
      expect([status, json()]).toEqual([200, { embedding: [] }]);
    }
  });
});

describe('elsewhere', () => {
  const own = { options: { num_ctx: 8192 }, keep_alive: '1m', truncate: false };

  test('what only the server does is left out and named', async () => {
    const model = '@openai/mock-small';
    const said = { role: 'assistant', content: 'x', thinking: 'Hm' };
    const { headers, status } = await post('/api/chat', {
      model,
      messages: [said, ...messages],
      stream: false,
      ...own,
    });
    expect([status, headers['x-gw-dropped-params']]).toEqual([200, 'options.num_ctx, keep_alive, truncate']);
    expect(sent().body).toEqual({ model: 'mock-small', messages: [{ role: 'assistant', content: 'x' }, ...messages] });
    const vectors = await post('/api/embed', { model: '@openai/text-embedding-3-small', input: 'one', ...own });
    expect(vectors.headers['x-gw-dropped-params']).toBe('options.num_ctx, keep_alive, truncate');
  });

  test('it is refused where the config wants that', async () => {
    const strict = JSON.stringify({ provider: '@openai', unsupported_params: 'error' });
    const answer = await post('/api/chat', { model: 'mock-small', messages, ...own }, { 'x-gw-config': strict });
    expect([answer.status, answer.json()]).toEqual([400, { error: expect.stringContaining('options.num_ctx') }]);
  });

  test('another provider answers where the server does not', async () => {
    const { status, json } = await post('/api/chat', { messages, stream: false, ...own }, withConfig('fallback'));
    expect([status, json()]).toMatchObject([200, { message: { content: 'Mock answer to: Hello llama' } }]);
  });
});

describe('guardrails', () => {
  test('see the request', async () => {
    const body = { model: 'mock-small', messages: [{ role: 'user', content: 'a secret' }] };
    const { status, json } = await post('/api/chat', body, withConfig('guarded'));
    expect([status, json()]).toMatchObject([446, { error: expect.any(String) }]);
  });

  test.for([
    { name: 'hidden', stream: false },
    { name: 'hidden-held', stream: true },
    { name: 'hidden-windows', stream: true },
  ])('change the answer, and what quotes it: $name', async ({ name, stream }) => {
    const asked = { model: 'mock-small', messages, stream, think: true, logprobs: true };
    const { text, status } = await post('/api/chat', asked, withConfig(name));
    expect(status, text).toBe(200);
    const lines = linesOf(text);
    expect(textIn(lines)).toBe('[gone] answer to: Hello llama');
    expect(text).not.toContain('Mock');
    expect(lines.map(({ message }) => message?.thinking ?? '').join('')).toContain('I am a mock');
    expect(lines.at(-1)).toMatchObject({ done: true, eval_count: expect.any(Number) });
  });
});

test.for([true, false])('the cache has the whole answer, streamed: %s', async (stream) => {
  const body = { model: 'mock-small', messages: [{ role: 'user', content: `Cached ${stream}` }], stream, think: true };
  const ask = () => post('/api/chat', body, withConfig('cached'));
  const first = await ask();
  await waitFor(async () => {
    const again = await ask();
    expect(again.headers['x-gw-cache-status']).toBe('HIT');
    const thoughtIn = (text: string) =>
      linesOf(text)
        .map(({ message }) => message?.thinking ?? '')
        .join('');
    expect(thoughtIn(again.text)).toContain('I am a mock');
    for (const read of [thoughtIn, (text: string) => textIn(linesOf(text))])
      expect(read(again.text)).toBe(read(first.text));
    return true;
  });
});

test('the cache has nothing of a model that is loaded or unloaded', async () => {
  const unload = { model: 'mock-small', messages: [], stream: false, keep_alive: 0 };
  for (const [path, body] of [
    ['/api/chat', unload],
    ['/api/chat', { model: 'mock-small', messages: [] }],
    ['/api/generate', { model: 'mock-small', system: 'Be short.' }],
    ['/api/embed', { model: 'mock-small', input: '' }],
  ] as const) {
    for (const _ of [1, 2]) {
      const count = world.mock.requests.length;
      const { status, headers } = await post(path, body, withConfig('cached'));
      expect([status, headers['x-gw-cache-status']], path).toEqual([200, 'DISABLED']);
      expect(world.mock.requests.length).toBe(count + 1);
    }
  }
});

test.for([true, false])('records have usage and the operation, streamed: %s', async (stream) => {
  const { headers } = await post('/api/chat', { messages, stream });
  const id = headers['x-gw-trace-id'];
  const record = await waitFor(() => records.find(({ request }) => request.trace.traceId === id));
  expect(record).toMatchObject({
    request: { operation: 'ollamaChat' },
    attempts: [{ usage: { input: 3, output: 7, total: 10 } }],
  });
});

describe('a body', () => {
  const asked: readonly [path: string, body: object][] = [
    ['/api/chat', { messages, stream: false }],
    ['/api/generate', { prompt: 'Hello', stream: false }],
    ['/api/embed', { input: 'a' }],
    ['/api/embeddings', { prompt: 'a' }],
    ['/api/show', {}],
  ];
  const TYPES = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'];

  test.for(asked)('is JSON whatever its content type is: %s', async ([path, body]) => {
    for (const type of TYPES) {
      const { status, text } = await post(path, body, { 'content-type': type });
      expect(status, text).toBe(200);
    }
  });

  test('needs a key all the same, and has to be JSON', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (body: string, more: Readonly<Record<string, string>>) =>
      world.send('/api/chat', { method: 'POST', headers: { ...headers, ...more }, body });
    expect((await send(`model=${MODEL}`, {})).status).toBe(400);
    const { status } = await send(JSON.stringify({ model: MODEL, messages }), { 'x-gw-api-key': 'wrong' });
    expect(status).toBe(401);
  });

  test('of another operation is JSON by its content type', async () => {
    const { status } = await post('/v1/chat/completions', { messages }, { 'content-type': 'text/plain' });
    expect(status).toBe(400);
  });
});

describe('a fault', () => {
  test.for<[fault: string, headers: Readonly<Record<string, string>>]>([
    ['of the server', { 'x-mock-error-event': '1', 'x-mock-error-event-after': '2' }],
    ['of a connection that is cut', { 'x-mock-cut-after-bytes': '300' }],
    ['of a stream without its last line', { 'x-mock-no-done': '1' }],
    ['of a line that is no JSON', { 'x-mock-malformed': 'json' }],
  ])('%s ends the stream with an error', async ([, headers]) => {
    const { text, status } = await post('/api/chat', { messages }, { 'x-gw-forward-headers': FAULTS, ...headers });
    const lines = linesOf(text);
    expect([status, lines[0]]).toMatchObject([200, { done: false }]);
    expect(lines.at(-1)).toEqual({ error: expect.any(String) });
    expect(lines.filter(({ done }) => done === true)).toEqual([]);
  });

  test('before the answer has the status of the server', async () => {
    const { status, json } = await post('/api/chat', { model: '@ollama/mock-fail-404', messages });
    expect([status, json()]).toEqual([404, { error: 'ollama error: Mock error 404' }]);
  });

  test('of a server that is slow is a timeout', async () => {
    const asked = { model: 'mock-delay-30000', messages };
    const { status, json } = await post('/api/chat', asked, withConfig('impatient'));
    expect([status, json()]).toEqual([408, { error: expect.any(String) }]);
    await expectNothingLeft(world);
  });
});
