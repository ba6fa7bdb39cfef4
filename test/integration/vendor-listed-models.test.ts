/** Batches at accounts that admit listed models only: docs/behaviour/files-and-batches.md#models-of-a-batch. */
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, startWorld, type World } from '../kit/gateway.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { config, KEY, provider } from '../kit/snapshot.ts';

let world: World;

beforeAll(async () => {
  const models = ['gpt-4o', 'gpt-4o-mini'];
  world = await startWorld({
    entries: ({ url }) => [
      provider('listed', { customHost: `${url}/v1`, models }),
      provider('groq', { provider: 'groq', customHost: `${url}/v1`, models }),
      provider('deepseek', { provider: 'deepseek', customHost: `${url}/v1`, models }),
      config('blob', { provider: '@listed', override_params: { input_blob: 'https://h/x' } }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const clientOf = (name: string): OpenAI =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, defaultHeaders: { 'x-gw-provider': name }, maxRetries: 0 });

const upload = async (rows: string, name = '@listed') =>
  (await clientOf(name).files.create({ file: await toFile(Buffer.from(rows), 'rows.jsonl'), purpose: 'batch' })).id;

const create = (input_file_id: string, name = '@listed') =>
  clientOf(name).batches.create({ input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' });

const created = () => world.mock.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/batches');

const rowOf = (body: object, url = '/v1/chat/completions') =>
  `${JSON.stringify({ custom_id: 'b', method: 'POST', url, body })}\n`;

test.for(['@listed', '@groq'])('%s runs batches whose rows all name listed models', async (name) => {
  const input = await upload(chatRow('a', 'Hi', 'gpt-4o') + chatRow('b', 'Ho', 'gpt-4o-mini'), name);
  const before = created().length;
  expect(await create(input, name)).toMatchObject({ object: 'batch', input_file_id: input });
  expect(created()).toHaveLength(before + 1);
});

test.for([
  { rule: 'another model', row: chatRow('b', 'Ho', 'gpt-5'), status: 412 },
  { rule: 'no model', row: rowOf({ messages: [] }), status: 412 },
  { rule: 'two models', row: rowOf({ model: 'gpt-4o', fallback_model: 'gpt-5' }), status: 412 },
  { rule: 'a stored prompt', row: rowOf({ model: 'gpt-4o', prompt: { id: 'p' } }, '/v1/responses'), status: 412 },
  { rule: 'a call that runs models elsewhere', row: rowOf({ model: 'gpt-4o' }, '/v1/evals'), status: 400 },
  {
    rule: 'a model twice',
    row: '{"custom_id":"b","url":"/v1/completions","body":{"model":"gpt-4o","model":"x"}}\n',
    status: 400,
  },
  { rule: 'no JSON', row: 'nonsense\n', status: 400 },
])('a batch with a row of $rule is not created, and the error names the line', async ({ row, status }) => {
  const input = await upload(chatRow('a', 'Hi', 'gpt-4o') + row + chatRow('c', 'Hi', 'gpt-4o'));
  const before = created().length;
  const refused = create(input);
  await expect(refused).rejects.toMatchObject({ status, message: expect.stringContaining('line 2') });
  expect(created()).toHaveLength(before);
  await expectNothingLeft(world);
});

describe('rows that the gateway cannot see', () => {
  test.for([
    { rule: 'no file', body: {} },
    { rule: 'rows elsewhere', body: { input_file_id: 'f', input_blob: 'https://h/x' } },
    {
      rule: 'rows elsewhere, set aside',
      body: { input_file_id: 'f', provider_options: { input_blob: 'https://h/x' } },
    },
    { rule: 'another model of the whole batch', body: { input_file_id: 'f', model: 'gpt-5' } },
  ])('are refused: $rule', async ({ body }) => {
    const calls = world.mock.requests.length;
    const answer = await world.send('/v1/batches', { method: 'POST', headers: { 'x-gw-provider': '@listed' }, body });
    expect(answer.status).toBe(412);
    expect(world.mock.requests).toHaveLength(calls);
  });

  test('are refused where a config adds them', async () => {
    const body = { input_file_id: await upload(chatRow('a', 'Hi')) };
    const answer = await world.send('/v1/batches', { method: 'POST', headers: { 'x-gw-config': 'blob' }, body });
    expect(answer.status).toBe(412);
  });

  test('are refused by proxied calls', async () => {
    const body = { input_file_id: await upload(chatRow('a', 'Hi')) };
    const answer = await world.send('/v1/proxy/batches', {
      method: 'POST',
      headers: { 'x-gw-provider': '@listed' },
      body,
    });
    expect(answer.status).toBe(412);
  });
});

test('a file that is not there is refused in the words of the provider', async () => {
  const before = created().length;
  await expect(create('file-none')).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('openai error'),
  });
  expect(created()).toHaveLength(before);
});

test('a provider without batches has none', async () => {
  await expect(create('file-none', '@deepseek')).rejects.toMatchObject({ status: 412 });
});

test('an account without a list is asked for no rows', async () => {
  const input = await upload(chatRow('a', 'Hi', 'any'), '@openai');
  const calls = world.mock.requests.length;
  await create(input, '@openai');
  expect(world.mock.requests.slice(calls).map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v1/batches']);
});

test('a file that breaks off creates no batch', async () => {
  const targets: string[] = [];
  await using upstream = await startRawUpstream(async ({ request, head, socket, answer }) => {
    targets.push(request.target);
    if (request.method === 'POST') return answer(200, '{"id":"b"}');
    await head(200, { 'content-length': '100000' });
    socket.end(chatRow('a', 'Hi', 'gpt-4o')); // in order: a reset may overtake what was written
  });
  await using other = await startWorld({
    entries: () => [provider('raw', { customHost: `${upstream.url}/v1`, models: ['gpt-4o'] })],
  });
  const body = { input_file_id: 'f' };
  const answer = await other.send('/v1/batches', { method: 'POST', headers: { 'x-gw-provider': '@raw' }, body });
  expect([answer.status, targets]).toEqual([502, ['/v1/files/f/content']]);
});
