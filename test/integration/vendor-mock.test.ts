/** Accounts of Bedrock and Cohere whose host is the mock provider, which has their own paths. */
import OpenAI, { RateLimitError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { KEY, provider } from '../kit/snapshot.ts';

const KEYS = { aws_access_key_id: 'AKIDSTORED', aws_secret_access_key: 'stored-secret-0123456789' };
const CLAUDE = 'anthropic.claude-3-haiku-20240307-v1:0';
const QUESTION = 'What is the weather in Paris?';
const messages = [{ role: 'user' as const, content: QUESTION }];
const tools = [
  {
    type: 'function' as const,
    function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];
const ACCOUNTS = [
  { account: 'bedrock', model: CLAUDE, path: `/model/${encodeURIComponent(CLAUDE)}/converse`, suffix: '-stream' },
  { account: 'cohere', model: 'command-a-03-2025', path: '/v2/chat', suffix: '' },
];

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      provider('bedrock', {
        provider: 'bedrock',
        customHost: url,
        secret: KEYS,
        settings: { aws_region: 'eu-west-1' },
      }),
      provider('cohere', { provider: 'cohere', customHost: url }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;

const clientOf = (account: string, headers: Headers = {}): OpenAI =>
  new OpenAI({
    ...{ baseURL: `${world.url}/v1`, apiKey: KEY, maxRetries: 0 },
    defaultHeaders: { 'x-gw-provider': `@${account}`, ...headers },
  });

/** Controls of the mock, which the gateway passes on. */
const controlled = (controls: Headers): Headers => ({
  ...controls,
  'x-gw-forward-headers': Object.keys(controls).join(','),
});

describe.for(ACCOUNTS)('an account of $account', ({ account, model, path, suffix }) => {
  test('answers a chat', async () => {
    const answer = await clientOf(account).chat.completions.create({ model, messages });
    expect(answer.choices).toMatchObject([
      { finish_reason: 'stop', message: { content: `Mock answer to: ${QUESTION}` } },
    ]);
    expect(answer.usage).toMatchObject({ prompt_tokens: 8, completion_tokens: 12, total_tokens: 20 });
    expect(lastRequest(world.mock)).toMatchObject({ path, outcome: 'finished' });
  });

  test.for([{ controls: {} }, { controls: { 'x-mock-chunk-bytes': '7' } }])(
    'streams a chat with $controls',
    async ({ controls }) => {
      const client = clientOf(account, controlled(controls));
      const options = { stream: true, stream_options: { include_usage: true } } as const;
      const chunks = await Array.fromAsync(await client.chat.completions.create({ model, messages, ...options }));
      const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
      expect(text).toBe(`Mock answer to: ${QUESTION}`);
      expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['stop']);
      expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 8, completion_tokens: 12 });
      expect(lastRequest(world.mock).path).toBe(`${path}${suffix}`);
    },
  );

  test.for([false, true])('calls a tool and answers from its result; streamed: %s', async (stream) => {
    const client = clientOf(account);
    const asked = { model, messages, tools };
    const message = stream
      ? await client.chat.completions.stream(asked).finalMessage()
      : (await client.chat.completions.create(asked)).choices[0]?.message;
    const [call] = message?.tool_calls ?? [];
    if (message === undefined || call?.type !== 'function') throw new Error('expected a call');
    expect(call.function).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris"}' });
    const told = { role: 'tool' as const, tool_call_id: call.id, content: '18 degrees' };
    const called = { role: 'assistant' as const, tool_calls: [call] };
    const answer = await client.chat.completions.create({ ...asked, messages: [...messages, called, told] });
    expect(answer.choices[0]?.message.content).toBe('Mock answer from the tool result: 18 degrees');
  });

  test('has the errors of the provider', async () => {
    const client = clientOf(account);
    const failed = client.chat.completions.create({ model: 'mock-fail-429', messages });
    await expect(failed).rejects.toThrow(RateLimitError);
    await expect(failed).rejects.toThrow(`${account} error: Mock error 429`);
    const broken = clientOf(
      account,
      controlled({ 'x-mock-error-event': 'overloaded', 'x-mock-error-event-after': '3' }),
    );
    const chunks = await broken.chat.completions.create({ model, messages, stream: true });
    await expect(Array.fromAsync(chunks)).rejects.toThrow(`${account} error: Overloaded`);
  });
});

test('a stream of Bedrock that cannot be decoded ends with an error', async () => {
  const client = clientOf('bedrock', controlled({ 'x-mock-malformed': 'sse' }));
  const chunks = await client.chat.completions.create({ model: CLAUDE, messages, stream: true });
  await expect(Array.fromAsync(chunks)).rejects.toThrow('A message of the stream cannot be decoded');
});

test.for([
  { account: 'bedrock', model: 'amazon.titan-embed-text-v2:0', more: { dimensions: 256 }, calls: 2 },
  { account: 'bedrock', model: 'cohere.embed-multilingual-v3', more: {}, calls: 1 },
  { account: 'cohere', model: 'embed-v4.0', more: { dimensions: 256 }, calls: 1 },
])('embeddings of $model at $account', async ({ account, model, more, calls }) => {
  const before = lastRequest(world.mock).sequence;
  const input = ['the weather in Rome', 'the weather in Paris'];
  const options = { encoding_format: 'float', ...more } as const;
  const { data, usage } = await clientOf(account).embeddings.create({ model, input, ...options });
  expect(data.map(({ embedding }) => embedding.length > 100)).toEqual([true, true]);
  expect(usage.prompt_tokens).toBe(10);
  expect(lastRequest(world.mock).sequence - before).toBe(calls);
});

test('the models of Cohere are listed', async () => {
  const models = await Array.fromAsync(await clientOf('cohere').models.list());
  expect(models.map(({ id }) => id)).toContain('mock-small');
});
