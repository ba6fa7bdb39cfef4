/** Answers to similar prompts, over sockets: docs/behaviour/caching.md#answers-to-similar-prompts. */
import type { RequestRecord } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { config, key, price, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const OTHER_KEY = 'gwk_of_another_team_0123456789abcdef';
const CACHE = { mode: 'semantic', embeddingModel: '@openai/text-embedding-3-small', similarityPercent: 80 };

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly cache?: object;
  readonly records?: RequestRecord[];
}

const start = ({ cache = {}, records = [], env = {} }: Given = {}) =>
  startWorld({
    env: { CACHE_STORE: 'memory', ...env },
    sinks: [{ name: 'test', readsUsage: true, record: (record) => void records.push(record) }],
    entries: ({ url }) => [
      config('similar', { provider: '@openai', cache: { ...CACHE, ...cache } } as never),
      config('twin', { provider: '@openai', cache: { ...CACHE, ...cache } } as never),
      config('through-two', {
        strategy: { mode: 'fallback' },
        cache: { ...CACHE, ...cache },
        targets: [{ provider: '@failing' }, { provider: '@openai' }],
      } as never),
      provider('failing', { customHost: `${url}/v1`, headers: { 'x-mock-status': '500' } }),
      provider('shared', { workspace: null, grants: ['*'], customHost: `${url}/v1` }),
      workspace('team-b'),
      key({ name: 'b', workspace: 'team-b', secret: OTHER_KEY }),
      price('text-embedding-3-small', { usdPerMillionTokens: { request: '1' } }),
    ],
  });
type Running = Awaited<ReturnType<typeof start>>;

interface Asked {
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const FIRST = 'Please tell me what the capital city of France is called';
const SIMILAR = 'Please tell me what is the capital city of France called';
const NEAR = 'Please tell me what the capital city of France is called today';
const FAR = 'Write a poem about the sea';

async function ask(world: Running, { text = FIRST, headers = {}, body = {} }: Asked = {}) {
  const answer = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': 'similar', ...headers },
    body: { model: 'mock-small', messages: [{ role: 'user', content: text }], ...body },
  });
  return { answer, status: answer.headers['x-gw-cache-status'], text: answer.text };
}
/** Stores the answer to the first prompt. */
async function asked(world: Running, given: Asked = {}) {
  const first = await ask(world, given);
  await waitFor(async () => (await ask(world, given)).status === 'HIT', { what: 'the stored answer' });
  return first;
}
const calls = ({ mock }: Running, path: string): number =>
  mock.requests.filter((request) => request.path === path).length;

describe('a prompt that is similar', () => {
  test('has the stored answer, and its own entry from then on', async () => {
    await using world = await start();
    const first = await asked(world);
    expect(first.status).toBe('SEMANTIC MISS');
    const similar = await ask(world, { text: SIMILAR });
    expect([similar.status, similar.text]).toEqual(['SEMANTIC HIT', first.text]);
    expect((await ask(world, { text: NEAR })).status).toBe('SEMANTIC HIT');
    await waitFor(async () => (await ask(world, { text: SIMILAR })).status === 'HIT', { what: 'its own entry' });
    expect(calls(world, '/v1/chat/completions')).toBe(1);
  });

  test('has no entry of its own where nothing of the request is to be stored', async () => {
    await using world = await start();
    await asked(world);
    const unrecorded = { text: SIMILAR, headers: { 'x-gw-debug': 'false' } };
    for (let times = 0; times < 3; times += 1) expect((await ask(world, unrecorded)).status).toBe('SEMANTIC HIT');
  });

  test('is streamed where a stream is asked for', async () => {
    await using world = await start();
    await asked(world, { body: { stream: true } });
    const { answer, status, text } = await ask(world, { text: SIMILAR, body: { stream: true } });
    expect([status, answer.headers['content-type']]).toEqual([
      'SEMANTIC HIT',
      expect.stringContaining('text/event-stream'),
    ]);
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect((await ask(world, { text: SIMILAR })).status).toBe('SEMANTIC MISS');
  });

  test.for<{ rule: string; asked: Asked }>([
    { rule: 'is not similar enough', asked: { text: FAR } },
    { rule: 'comes with another parameter', asked: { text: SIMILAR, body: { temperature: 0.1 } } },
    {
      rule: 'comes with other instructions',
      asked: {
        body: {
          messages: [
            { role: 'system', content: 'In French.' },
            { role: 'user', content: SIMILAR },
          ],
        },
      },
    },
    { rule: 'comes with other metadata', asked: { text: SIMILAR, headers: { 'x-gw-metadata': '{"a":"b"}' } } },
    { rule: 'goes by another config', asked: { text: SIMILAR, headers: { 'x-gw-config': 'twin' } } },
  ])('has its own answer where it $rule', async ({ asked: other }) => {
    await using world = await start();
    await asked(world);
    expect((await ask(world, other)).status).toBe('SEMANTIC MISS');
  });

  test('of another workspace has its own answer', async () => {
    await using world = await start();
    const inline = (secret?: string) => ({
      'x-gw-config': JSON.stringify({
        provider: '@shared',
        cache: { mode: 'semantic', embedding_model: '@shared/text-embedding-3-small', similarity_percent: 80 },
      }),
      ...(secret === undefined ? {} : { 'x-gw-api-key': secret }),
    });
    await asked(world, { headers: inline() });
    expect((await ask(world, { text: SIMILAR, headers: inline() })).status).toBe('SEMANTIC HIT');
    expect((await ask(world, { text: SIMILAR, headers: inline(OTHER_KEY) })).status).toBe('SEMANTIC MISS');
  });
});

test('what cannot be compared is found by the same request alone', async () => {
  await using world = await start();
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } };
  const body = { messages: [{ role: 'user', content: [{ type: 'text', text: FIRST }, image] }] };
  expect((await ask(world, { body })).status).toBe('MISS');
  expect(calls(world, '/v1/embeddings')).toBe(0);
});

test('a model of vectors that fails costs nothing but the similarity', async () => {
  await using world = await start({ cache: { embeddingModel: '@failing/text-embedding-3-small' } });
  const { answer, status } = await ask(world);
  expect([answer.status, status]).toEqual([200, 'MISS']);
  await waitFor(async () => (await ask(world)).status === 'HIT', { what: 'the stored answer' });
});

test('a forced refresh forgets the vector of the old answer, and stores that of the new one', async () => {
  await using world = await start();
  await asked(world);
  const { status, text } = await ask(world, { headers: { 'x-gw-cache-force-refresh': 'true' } });
  expect(status).toBe('REFRESH');
  const similar = async () => {
    const found = await ask(world, { text: SIMILAR });
    return found.status === 'SEMANTIC HIT' && found.text === text;
  };
  await waitFor(similar, { what: 'the new answer' });
});

test('the call for the vector is an attempt of the request, with its cost', async () => {
  const records: RequestRecord[] = [];
  await using world = await start({ records });
  await ask(world);
  const record = await waitFor(() => records[0], { what: 'the record' });
  expect(record.attempts.map(({ model, cost }) => [model, (cost?.nanoDollars ?? 0) > 0])).toEqual([
    ['text-embedding-3-small', true],
    ['mock-small', expect.any(Boolean)],
  ]);
});

test('targets of a request share the vector of its prompt', async () => {
  await using world = await start();
  const { answer, status } = await ask(world, { headers: { 'x-gw-config': 'through-two' } });
  expect([answer.status, status]).toEqual([200, 'SEMANTIC MISS']);
  expect(calls(world, '/v1/embeddings')).toBe(1);
});

test.for([
  { env: {}, dimensions: undefined },
  { env: { SEMANTIC_CACHE_EMBEDDING_DIMENSIONS: '256' }, dimensions: 256 },
])('the model is asked for $dimensions dimensions with $env', async ({ env, dimensions }) => {
  await using world = await start({ env });
  await ask(world);
  const { body } = await waitFor(() => world.mock.requests.find(({ path }) => path === '/v1/embeddings'), {
    what: 'the call for the vector',
  });
  expect(JSON.parse(body.toString())).toEqual({
    model: 'text-embedding-3-small',
    ...{ input: expect.any(String), encoding_format: 'float' },
    ...(dimensions === undefined ? {} : { dimensions }),
  });
});
