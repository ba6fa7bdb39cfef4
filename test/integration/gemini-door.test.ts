/** The Gemini API over providers that do not speak it, and over its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { send } from '../kit/http.ts';
import { config, guardrail, KEY, policy, provider } from '../kit/snapshot.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
      provider('gemini', { provider: 'google', customHost: url }),
      provider('narrow', { customHost: `${url}/v1`, models: ['mock-small'] }),
      guardrail('no-secrets', [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }]),
      config('guarded', { provider: '@openai', input_guardrails: ['no-secrets'] }),
      config('cached', { provider: '@openai', cache: { mode: 'simple' } }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  send(world.url + path, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const ask = (model: string, body: object, headers?: Readonly<Record<string, string>>) =>
  post(`/v1beta/models/${model}:generateContent`, body, headers);
const saying = (text: string) => ({ contents: [{ role: 'user', parts: [{ text }] }] });
const HELLO = saying('Hello gemini');

describe.each(['@openai/mock-small', '@claude/claude-sonnet-4-5', '@gemini/gemini-2.5-flash'])('with %s', (model) => {
  test('content is generated, and the key goes nowhere', async () => {
    const { status, text, json, headers } = await ask(model, { ...HELLO, generationConfig: { maxOutputTokens: 50 } });
    expect(status, text).toBe(200);
    expect(json()).toMatchObject({
      candidates: [
        {
          content: { role: 'model', parts: [{ text: expect.stringContaining('Hello gemini') }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { totalTokenCount: expect.any(Number) },
    });
    expect(headers['x-gw-model']).toBe(model.split('/')[1]);
    expect(JSON.stringify(lastRequest(world.mock).headers)).not.toContain(KEY);
  });

  test('content is streamed, as events and as an array', async () => {
    const events = await post(`/v1beta/models/${model}:streamGenerateContent?alt=sse`, HELLO);
    expect(events.headers['content-type']).toBe('text/event-stream');
    expect(events.text).toContain('data: {"candidates":');
    expect(events.text).toContain('"finishReason":"STOP"');
    const array = await post(`/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent`, HELLO);
    expect(array.headers['content-type']).toBe('application/json');
    const pieces = array.json() as { candidates: { content: { parts: { text?: string }[] } }[] }[];
    const said = pieces.map(({ candidates }) => candidates[0]?.content.parts[0]?.text ?? '').join('');
    expect(said).toContain('Hello gemini');
  });

  test('tools are called', async () => {
    const tools = [{ functionDeclarations: [{ name: 'get_weather', parameters: { type: 'OBJECT', properties: {} } }] }];
    const { json } = await ask(model, { ...saying('What is the weather in Paris?'), tools });
    expect(json()).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { name: 'get_weather', args: expect.any(Object) } }] } }],
    });
  });
});

test('vectors are given, of one content and of several', async () => {
  const model = '@openai/text-embedding-3-small';
  const content = (text: string) => ({ parts: [{ text }] });
  const one = await post(`/v1beta/models/${model}:embedContent`, { content: content('one') });
  expect(one.json()).toEqual({ embedding: { values: expect.any(Array) } });
  const requests = ['one', 'two'].map((text) => ({ model: `models/${model}`, content: content(text) }));
  const several = await post(`/v1beta/models/${model}:batchEmbedContents`, { requests });
  expect(several.json()).toEqual({ embeddings: [{ values: expect.any(Array) }, { values: expect.any(Array) }] });
});

describe('tokens are counted', () => {
  const count = (model: string, body: object, headers?: Readonly<Record<string, string>>) =>
    post(`/v1beta/models/${model}:countTokens`, body, headers);
  const TOOLS = [{ functionDeclarations: [{ name: 'get_weather', parameters: { type: 'OBJECT', properties: {} } }] }];

  test.for(['@claude/claude-sonnet-4-5', '@gemini/gemini-2.5-flash'])('with %s, as both forms ask', async (model) => {
    const plain = await count(model, HELLO);
    expect([plain.status, plain.json()], plain.text).toEqual([200, { totalTokens: expect.any(Number) }]);
    const generateContentRequest = {
      ...HELLO,
      systemInstruction: { parts: [{ text: 'Be very short.' }] },
      tools: TOOLS,
    };
    const whole = await count(model, { generateContentRequest });
    expect((whole.json() as { totalTokens: number }).totalTokens).toBeGreaterThan(
      (plain.json() as { totalTokens: number }).totalTokens,
    );
    expect(JSON.stringify(lastRequest(world.mock).headers)).not.toContain(KEY);
  });

  test('by the model that the account is asked for', async () => {
    await count('gemini-2.5-flash', HELLO, { 'x-gw-provider': '@gemini' });
    const { path, body } = lastRequest(world.mock);
    expect(path).toBe('/v1beta/models/gemini-2.5-flash:countTokens');
    expect(JSON.parse(String(body))).toEqual({
      generateContentRequest: { model: 'models/gemini-2.5-flash', ...HELLO },
    });
  });

  test('not with a provider that does not count', async () => {
    const { status, json } = await count('@openai/mock-small', HELLO);
    expect([status, json()]).toMatchObject([
      400,
      {
        error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining('countTokens is not offered by openai') },
      },
    ]);
  });

  test('for clients of Anthropic, too', async () => {
    const body = {
      model: '@gemini/gemini-2.5-flash',
      system: 'Be short.',
      messages: [{ role: 'user', content: 'Hi' }],
    };
    const { status, json, text } = await post('/v1/messages/count_tokens', body, { 'x-gw-api-key': KEY });
    expect([status, json()], text).toEqual([200, { input_tokens: expect.any(Number) }]);
    expect(lastRequest(world.mock).path).toBe('/v1beta/models/gemini-2.5-flash:countTokens');
  });

  test('within the limits of counts', async () => {
    await using limited = await startWorld({
      entries: ({ url }) => [
        provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
        policy('RateLimitPolicy:counts', {
          ...{ kind: 'rate', conditions: [{ key: 'endpoint_type', values: ['messagesCountTokens'] }], groupBy: [] },
          rate: { type: 'requests', unit: 'rpd', value: 1 },
        }),
      ],
    });
    const call = () =>
      limited.send('/v1beta/models/@claude/claude-sonnet-4-5:countTokens', {
        headers: { 'content-type': 'application/json' },
        body: HELLO,
      });
    expect((await call()).status).toBe(200);
    expect((await call()).status).toBe(429);
  });
});

test('models are listed', async () => {
  const { json } = await send(`${world.url}/v1beta/models?pageSize=50`, { headers: { 'x-goog-api-key': KEY } });
  const { models } = json() as { models: { name: string }[] };
  expect(models.map(({ name }) => name)).toContain('models/@narrow/mock-small');
});

test('what a provider does not have is named', async () => {
  const settings = { generationConfig: { topK: 4, candidateCount: 2 }, safetySettings: [{ category: 'X' }] };
  const { headers } = await ask('@openai/mock-small', { ...HELLO, ...settings });
  expect(headers['x-gw-dropped-params']).toBe('generationConfig.candidateCount, top_k, safety_settings');
  const own = await ask('@gemini/gemini-2.5-flash', { ...HELLO, generationConfig: { topK: 4 } });
  expect(own.headers['x-gw-dropped-params']).toBeUndefined();
  expect(JSON.parse(String(lastRequest(world.mock).body))).toMatchObject({ generationConfig: { topK: 4 } });
});

test.for([
  ['a wrong key', { 'x-goog-api-key': 'gwk_wrong' }, HELLO, 401, 'UNAUTHENTICATED'],
  ['no contents', {}, {}, 400, 'INVALID_ARGUMENT'],
  ['a guardrail', { 'x-gw-config': 'guarded' }, saying('a secret'), 446, 'INVALID_ARGUMENT'],
] as const)('an error has the form of Gemini: %s', async ([, headers, body, status, code]) => {
  const answer = await ask('@openai/mock-small', body, headers);
  expect([answer.status, answer.json()]).toMatchObject([
    status,
    { error: { code: status, message: expect.any(String), status: code } },
  ]);
});

test('an error of the provider keeps its status', async () => {
  const answer = await ask('@openai/mock-fail-429', HELLO);
  expect([answer.status, answer.json()]).toMatchObject([429, { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }]);
});

test('a model that the account does not admit is refused', async () => {
  const { status, json } = await ask('@narrow/mock-large', HELLO);
  expect([status, json()]).toMatchObject([412, { error: { status: 'FAILED_PRECONDITION' } }]);
});

test('answers are stored once for all forms', async () => {
  const headers = { 'x-gw-config': 'cached' };
  expect((await ask('mock-small', saying('keep this'), headers)).headers['x-gw-cache-status']).toBe('MISS');
  const again = await ask('mock-small', saying('keep this'), headers);
  expect(again.headers['x-gw-cache-status']).toBe('HIT');
  expect(again.text).toContain('keep this');
});

test('what Google alone has goes to the account that a header names, as it is', async () => {
  const path = '/v1beta/models/mock-small';
  const headers = { 'x-goog-api-key': KEY, 'x-gw-provider': '@gemini' };
  const model = await send(`${world.url}${path}?key=${KEY}&alt=json`, { headers });
  expect([model.status, model.json()]).toMatchObject([200, { name: 'models/mock-small' }]);
  expect(lastRequest(world.mock)).toMatchObject({ path, search: '?alt=json' });
  const upload = { 'x-gw-provider': '@gemini', 'x-goog-upload-command': 'start' };
  expect((await post('/upload/v1beta/files', {}, upload)).status).toBe(200);
  expect((await post(`${path}:predict`, HELLO)).status).toBe(400);
});

test('policies take a call for that of the operation which serves it', async () => {
  await using limited = await startWorld({
    entries: () => [
      policy('RateLimitPolicy:chats', {
        ...{ kind: 'rate', conditions: [{ key: 'endpoint_type', values: ['chatComplete'] }], groupBy: [] },
        rate: { type: 'requests', unit: 'rpd', value: 1 },
      }),
    ],
  });
  const call = () =>
    limited.send('/v1beta/models/@openai/mock-small:generateContent', {
      headers: { 'content-type': 'application/json' },
      body: HELLO,
    });
  expect([(await call()).status, (await call()).status]).toEqual([200, 429]);
});

test('a key in the query is no key', async () => {
  const answer = await send(`${world.url}/v1beta/models/@openai/mock-small:generateContent?key=${KEY}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(HELLO),
  });
  expect(answer.status).toBe(401);
  expect(answer.text).not.toContain(KEY);
});
