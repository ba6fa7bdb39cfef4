/** The unmodified OpenAI SDK on providers with formats of their own: what they cannot take, and where their usage is. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, KEY, key, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
let openai: OpenAI;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      key({ config: 'main' }),
      config('main', { provider: '@openai', override_params: { model: 'mock-large' }, retry: { attempts: 1 } }),
      config('strict', { unsupported_params: 'error', retry: { attempts: 1 } }),
      config('next', {
        strategy: { mode: 'fallback', on_status_codes: [400] },
        unsupported_params: 'error',
        targets: [{ provider: '@anthropic' }, { provider: '@openai' }],
      }),
      provider('google', { provider: 'google', customHost: url }),
      provider('groq', { provider: 'groq', customHost: `${url}/v1` }),
      provider('deepseek', { provider: 'deepseek', customHost: url }),
    ],
  });
  openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, maxRetries: 0 });
});

afterAll(() => world[Symbol.asyncDispose]());

const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (error: unknown) => error,
  );

describe('a model that names its provider', () => {
  test.for([
    { model: '@anthropic/mock-claude', answers: 'anthropic' },
    { model: '@google/mock-gemini', answers: 'google' },
    { model: '@openai/mock-small', answers: 'openai' },
  ])('is answered by it, over the default config of the key: $model', async ({ model, answers }) => {
    const { data, response } = await openai.chat.completions.create({ model, messages }).withResponse();
    expect(data.choices[0]?.message.content).toContain('Paris');
    expect(response.headers.get('x-gw-provider')).toBe(answers);
    const received = lastRequest(world.mock);
    expect(`${received.path} ${JSON.stringify(received.json())}`).toContain(model.slice(model.indexOf('/') + 1));
  });

  test('has the retries of the default config', async () => {
    const { response } = await openai.chat.completions
      .create({ model: '@anthropic/mock-fail-503-times-1', messages })
      .withResponse();
    expect(response.headers.get('x-gw-retry-attempt-count')).toBe('1');
  });

  test('is a BadRequestError where the provider does not exist, and nothing is sent', async () => {
    const before = world.mock.requests.length;
    const failure = await failureOf(openai.chat.completions.create({ model: '@nosuch/m', messages }));
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({ code: 'provider_slug_unknown', param: 'model' });
    expect(world.mock.requests).toHaveLength(before);
  });
});

describe('the usage of a stream', () => {
  const MODELS = ['@anthropic/m', '@google/m', '@groq/m', '@deepseek/m'].map((model) =>
    model.replace('/m', '/mock-small'),
  );

  test.for(MODELS)(
    'that nobody asked for is on the chunk that finishes it, if the provider reports it: %s',
    async (model) => {
      const stream = await openai.chat.completions.create({ model, messages, stream: true });
      const chunks = await Array.fromAsync(stream);
      expect(chunks.every(({ choices }) => choices.length > 0)).toBe(true);
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
      expect(chunks.slice(0, -1).filter(({ usage }) => usage)).toEqual([]);
      const reports = !['@groq', '@deepseek'].some((slug) => model.startsWith(slug)); // they report it on request
      expect(chunks.at(-1)?.usage?.total_tokens).toEqual(reports ? expect.any(Number) : undefined);
    },
  );

  test.for(MODELS)('that was asked for is in a chunk of its own alone: %s', async (model) => {
    const stream_options = { include_usage: true };
    const stream = await openai.chat.completions.create({ model, messages, stream: true, stream_options });
    const chunks = await Array.fromAsync(stream);
    const counted = chunks.filter(({ usage }) => usage);
    expect(counted).toEqual([chunks.at(-1)]);
    expect(counted[0]).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });
});

describe('parameters that a provider does not have', () => {
  const unsupported = { seed: 7, logprobs: true, n: 1, response_format: { type: 'json_object' as const } };

  test('are left out, and named in a header and in the log', async () => {
    const { data, response } = await openai.chat.completions
      .create({ model: '@anthropic/mock-claude', messages, ...unsupported })
      .withResponse();
    expect(data.choices[0]?.message.content).toContain('Paris');
    expect(response.headers.get('x-gw-dropped-params')).toBe('seed, logprobs, response_format');
    const sent = lastRequest(world.mock).json();
    for (const name of ['seed', 'logprobs', 'n', 'response_format']) expect(sent).not.toHaveProperty(name);
    const traceId = response.headers.get('x-gw-trace-id');
    const line = await waitFor(
      () => world.logs.find(({ msg, traceId: of }) => msg === 'Request finished' && of === traceId),
      { what: 'the line of the request' },
    );
    expect(line).toMatchObject({
      droppedParams: ['seed', 'logprobs', 'response_format'],
    });
  });

  test('are named on streams, too', async () => {
    const { data, response } = await openai.chat.completions
      .create({ model: '@google/mock-gemini', messages, stream: true, user: 'u' })
      .withResponse();
    await Array.fromAsync(data);
    expect(response.headers.get('x-gw-dropped-params')).toBe('user');
  });

  test('are not named where the provider has them', async () => {
    const { response } = await openai.chat.completions
      .create({ model: '@openai/mock-small', messages, ...unsupported })
      .withResponse();
    expect(response.headers.has('x-gw-dropped-params')).toBe(false);
    expect(lastRequest(world.mock).json()).toMatchObject({ seed: 7 });
  });

  test('are refused where the config says so', async () => {
    const before = world.mock.requests.length;
    const headers = { 'x-gw-config': 'strict' };
    const call = openai.chat.completions.create(
      { model: '@anthropic/mock-claude', messages, ...unsupported },
      { headers },
    );
    const failure = await failureOf(call);
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({ code: 'parameter_unsupported', param: 'seed' });
    expect(String(failure)).toContain('seed, logprobs, response_format');
    expect(world.mock.requests).toHaveLength(before);
    const plain = openai.chat.completions.create({ model: '@anthropic/mock-claude', messages }, { headers });
    expect((await plain).choices).toHaveLength(1);
  });

  test('lead to the next target of a fallback that lists the status', async () => {
    const { response } = await openai.chat.completions
      .create({ model: 'mock-small', messages, seed: 7 }, { headers: { 'x-gw-config': 'next' } })
      .withResponse();
    expect(response.headers.get('x-gw-provider')).toBe('openai');
  });
});

describe('a part that a provider cannot take', () => {
  const audio = { type: 'input_audio' as const, input_audio: { data: 'AA==', format: 'mp3' as const } };

  test('is a BadRequestError that names its place', async () => {
    const before = world.mock.requests.length;
    const content = [{ type: 'text' as const, text: 'Listen:' }, audio];
    const failure = await failureOf(
      openai.chat.completions.create({
        model: '@anthropic/mock-claude',
        messages: [...messages, { role: 'user', content }],
      }),
    );
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({ code: 'content_unsupported', param: 'messages[1].content[1]' });
    expect(String(failure)).toContain('input_audio');
    expect(world.mock.requests).toHaveLength(before);
  });

  test('is sent to a provider that takes it', async () => {
    await openai.chat.completions.create({
      model: '@google/mock-gemini',
      messages: [{ role: 'user', content: [audio] }],
    });
    expect(JSON.stringify(lastRequest(world.mock).json())).toContain('audio/mp3');
  });
});

test('an operation that a provider does not offer is a BadRequestError in words of the API', async () => {
  const failure = await failureOf(openai.embeddings.create({ model: '@anthropic/mock-claude', input: 'Hi' }));
  expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
  expect(failure).toMatchObject({ code: 'operation_unsupported' });
  expect(String(failure)).toContain('POST /v1/embeddings is not offered by anthropic');
});
