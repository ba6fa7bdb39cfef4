/** The API of Cohere over providers that do not speak it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, guardrail, provider } from '../kit/snapshot.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
      provider('cohere', { provider: 'cohere', customHost: url }),
      guardrail('no-secrets', [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }]),
      config('guarded', { provider: '@openai', input_guardrails: ['no-secrets'] }),
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
const messages = [{ role: 'user', content: 'Hello cohere' }];
const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)));

describe.each(['@openai/mock-small', '@claude/claude-sonnet-4-5'])('with %s', (model) => {
  test('a chat is answered whole, without what Cohere alone has', async () => {
    const { status, json, headers } = await post('/v2/chat', { model, messages, max_tokens: 50, safety_mode: 'OFF' });
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: expect.stringContaining('Hello cohere') }] },
      usage: { tokens: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) } },
    });
    expect(headers['x-gw-dropped-params']).toBe('safety_mode');
    expect(String(lastRequest(world.mock).body)).not.toContain('safety_mode');
  });

  test('a chat is streamed', async () => {
    const { text, headers } = await post('/v2/chat', { model, messages, stream: true });
    expect(headers['content-type']).toBe('text/event-stream');
    const events = eventsOf(text);
    expect(events[0]).toMatchObject({ type: 'message-start', delta: { message: { role: 'assistant' } } });
    expect(events.map(({ delta }) => delta?.message?.content?.text ?? '').join('')).toContain('Hello cohere');
    expect(events.at(-1)).toMatchObject({ type: 'message-end', delta: { finish_reason: 'COMPLETE' } });
  });
});

test('vectors are given, and a type of input is for Cohere alone', async () => {
  const model = '@openai/text-embedding-3-small';
  const { json, headers } = await post('/v2/embed', { model, texts: ['one', 'two'], input_type: 'search_query' });
  expect(json()).toMatchObject({
    embeddings: { float: [expect.any(Array), expect.any(Array)] },
    texts: ['one', 'two'],
  });
  expect(headers['x-gw-dropped-params']).toBe('input_type');
});

test('what Cohere alone has is refused where the config wants that', async () => {
  const body = { model: 'text-embedding-3-small', texts: ['one'], input_type: 'search_query' };
  const strict = JSON.stringify({ provider: '@openai', unsupported_params: 'error' });
  const { status, json } = await post('/v2/embed', body, { 'x-gw-config': strict });
  expect([status, json()]).toEqual([400, { message: expect.stringContaining('input_type') }]);
});

test('documents are ranked', async () => {
  const documents = ['Under the mat.', 'It rains.'];
  const { json } = await post('/v2/rerank', {
    model: '@cohere/rerank-v3.5',
    query: 'Where is the mat?',
    documents,
    top_n: 1,
  });
  expect(json()).toMatchObject({
    results: [{ index: 0, relevance_score: expect.any(Number) }],
    meta: { billed_units: { search_units: 1 } },
  });
});

test('errors have a message', async () => {
  expect((await post('/v2/chat', { model: '@openai/mock-small', messages: 7 })).json()).toEqual({
    message: expect.stringContaining('messages'),
  });
  const limited = await post('/v2/chat', { model: '@openai/mock-fail-429', messages });
  expect([limited.status, limited.json()]).toEqual([429, { message: expect.any(String) }]);
  const unknown = await post('/v2/chat', { model: 'm', messages }, { 'x-gw-api-key': 'gwk_wrong' });
  expect([unknown.status, unknown.json()]).toEqual([401, { message: expect.any(String) }]);
});

test('guardrails see a chat', async () => {
  const body = { model: 'mock-small', messages: [{ role: 'user', content: 'a secret' }] };
  const { status, json } = await post('/v2/chat', body, { 'x-gw-config': 'guarded' });
  expect([status, json()]).toMatchObject([446, { message: expect.any(String) }]);
});
