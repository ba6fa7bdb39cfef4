import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, MOCK_MODELS, type MockProvider } from '../index.ts';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${mock.url}${path}`, { method: 'POST', body: JSON.stringify({ model: 'mock-small', ...body }), headers });
const messages = [{ role: 'user', content: 'Say hello' }];
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
const chat = async (body: object): Promise<unknown> =>
  (await post('/api/chat', { messages, stream: false, ...body })).json();

interface Line {
  readonly message: { readonly content: string; readonly thinking?: string; readonly tool_calls?: readonly object[] };
  readonly done: boolean;
}
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('/api/chat', () => {
  test.for<[rule: string, more: object, want: object]>([
    [
      'the user, with counts and durations',
      {},
      {
        message: { role: 'assistant', content: 'Mock answer to: Say hello' },
        ...{ done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 7, total_duration: 5_000_000 },
      },
    ],
    ['a cut', { options: { num_predict: 2 } }, { done_reason: 'length' }],
    ['stop sequences', { options: { stop: [' to'] } }, { message: { content: 'Mock answer' } }],
    ['thinking', { think: 'low' }, { message: { thinking: expect.stringContaining('mock') } }],
    ['no thinking', { think: false }, { message: { role: 'assistant', content: 'Mock answer to: Say hello' } }],
    [
      'JSON of a schema',
      { format: { type: 'object', properties: { n: { type: 'integer' } } } },
      { message: { content: '{"n":1}' } },
    ],
    [
      'images',
      { messages: [{ role: 'user', content: 'Look', images: ['aaaa'] }] },
      { message: { content: 'Mock answer to: Look [1 image]' } },
    ],
    [
      'a call',
      { tools },
      { message: { tool_calls: [{ function: { name: 'get_weather', arguments: { city: 'Paris' } } }] } },
    ],
    [
      'the result of a call',
      { tools, messages: [...messages, { role: 'tool', tool_name: 'get_weather', content: '18' }] },
      { message: { content: 'Mock answer from the tool result: 18' } },
    ],
    [
      'log probabilities',
      { logprobs: true, top_logprobs: 1 },
      { logprobs: [{ token: 'Mock ', top_logprobs: [{}] }, {}, {}, {}, {}] },
    ],
    ['a model to load', { messages: [] }, { done: true, done_reason: 'load' }],
    ['a model to load without messages', { messages: undefined }, { done: true, done_reason: 'load' }],
    ['a model to load with null', { messages: null, keep_alive: '5m' }, { done: true, done_reason: 'load' }],
    ['a model to unload by a duration', { messages: undefined, keep_alive: '0s' }, { done_reason: 'unload' }],
    ['a model to unload', { messages: [], keep_alive: 0 }, { done_reason: 'unload' }],
  ])('answers %s', async ([, more, want]) => {
    expect(await chat(more)).toMatchObject(want);
  });

  test('streams lines that add up to the whole answer unless the request wants none', async () => {
    const response = await post('/api/chat', { messages, think: true });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = linesOf(await response.text());
    const whole = (await chat({ think: true })) as Line;
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.map(({ message }) => message.content).join('')).toBe(whole.message.content);
    expect(lines.map(({ message }) => message.thinking ?? '').join('')).toBe(whole.message.thinking);
    expect(lines.map(({ done }) => done)).toEqual([...lines.slice(1).map(() => false), true]);
    expect(linesOf(await (await post('/api/chat', { messages, tools })).text())).toMatchObject([
      { message: { tool_calls: [{ function: { name: 'get_weather' } }] }, done: false },
      { done: true },
    ]);
  });

  test('can end with an error', async () => {
    const headers = { 'x-mock-error-event': '1', 'x-mock-error-event-after': '1' };
    const response = await post('/api/chat', { messages }, headers);
    expect(linesOf(await response.text())).toMatchObject([{ done: false }, { error: 'Mock error event' }]);
  });

  test.for<[status: number, path: string, body: object]>([
    [429, '/api/chat', { model: 'mock-fail-429', messages }],
    [400, '/api/chat', { model: '', messages }],
    [400, '/api/chat', { messages: 'Say hello' }],
    [400, '/api/chat', { messages: ['Say hello'] }],
    [400, '/api/embed', { input: 'a', dimensions: 0 }],
    [400, '/api/embed', { input: 5 }],
    [400, '/api/embed', { input: { text: 'a' } }],
    [400, '/api/embed', { input: ['a', 5] }],
    [400, '/api/embed', { input: [['a']] }],
    [400, '/api/embed', { input: true }],
    [404, '/api/show', { model: 'unknown' }],
    [404, '/api/unknown', {}],
  ])('errors are texts: %i of %s', async ([status, path, body]) => {
    const response = await post(path, body);
    expect([response.status, await response.json()]).toEqual([status, { error: expect.any(String) }]);
  });
});

test('/api/embed has a vector of each text', async () => {
  const embed = async (body: object) => (await post('/api/embed', body)).json();
  expect(await embed({ input: ['one', 'two'], dimensions: 2 })).toMatchObject({
    embeddings: [[expect.any(Number), expect.any(Number)], expect.any(Array)],
    prompt_eval_count: 2,
  });
  expect(await embed({ input: 'one' })).toMatchObject({ embeddings: [expect.any(Array)] });
  expect(await embed({ input: ['', 'one'] })).toMatchObject({ embeddings: [expect.any(Array), expect.any(Array)] });
});

test.for([[undefined], [null], [''], [[]]])('/api/embed of %j has no vectors', async ([input]) => {
  const response = await post('/api/embed', { input });
  expect([response.status, await response.json()]).toEqual([200, { model: 'mock-small', embeddings: [] }]);
});

test('models and the version are told', async () => {
  const get = async (path: string) => (await fetch(`${mock.url}${path}`)).json();
  expect(await get('/api/tags')).toMatchObject({ models: MOCK_MODELS.map((name) => ({ name })) });
  expect(await get('/api/version')).toEqual({ version: expect.any(String) });
  const shown = await post('/api/show', { model: 'mock-small' });
  expect(await shown.json()).toMatchObject({ capabilities: expect.arrayContaining(['tools']) });
});
