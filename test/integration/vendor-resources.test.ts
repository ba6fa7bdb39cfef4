/** Files, batches and fine-tuning jobs of providers: docs/behaviour/files-and-batches.md. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import OpenAI, { BadRequestError, NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { type RawReply, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
let client: OpenAI;
const sink: Sink = { name: 'test', readsUsage: true, record: () => undefined };

beforeAll(async () => {
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      provider('groq', { provider: 'groq', customHost: `${url}/v1` }),
      provider('deepseek', { provider: 'deepseek', customHost: `${url}/v1` }),
      provider('listed', { customHost: `${url}/v1`, models: ['gpt-4o'] }),
      config('two', { strategy: { mode: 'fallback' }, targets: [{ provider: '@openai' }, { provider: '@groq' }] }),
    ],
  });
  client = clientOf('@openai');
});
afterAll(() => world[Symbol.asyncDispose]());

const clientOf = (name: string): OpenAI =>
  new OpenAI({
    baseURL: `${world.url}/v1`,
    apiKey: KEY,
    defaultHeaders: { 'x-gw-provider': name },
    maxRetries: 0,
  });

const upload = async (sdk: OpenAI, rows: string, purpose: 'batch' | 'fine-tune' = 'batch') =>
  sdk.files.create({ file: await toFile(Buffer.from(rows), 'rows.jsonl'), purpose });

describe.for(['@openai', '@groq'])('the SDK of OpenAI at %s', (name) => {
  test('stores, lists, reads and deletes files', async () => {
    const sdk = clientOf(name);
    const rows = chatRow('a', 'Hi');
    const file = await upload(sdk, rows);
    expect(file).toMatchObject({ object: 'file', filename: 'rows.jsonl', purpose: 'batch', bytes: rows.length });
    expect((await sdk.files.list({ purpose: 'batch' })).data.map(({ id }) => id)).toContain(file.id);
    expect((await sdk.files.retrieve(file.id)).id).toBe(file.id);
    expect(await (await sdk.files.content(file.id)).text()).toBe(rows);
    expect(await sdk.files.delete(file.id)).toMatchObject({ id: file.id, deleted: true });
    await expect(sdk.files.retrieve(file.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test('creates batches, cancels them, and reads their output', async () => {
    const sdk = clientOf(name);
    const { id: input } = await upload(sdk, chatRow('a', 'Hi') + chatRow('b', 'Ho'));
    const create = () =>
      sdk.batches.create({ input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' });
    expect(await sdk.batches.cancel((await create()).id)).toMatchObject({ status: 'cancelling' });
    const { id } = await create();
    const early = await world.send(`/v1/batches/${id}/output`, { headers: { 'x-gw-provider': name } });
    // The mock works on a batch when it is read for the first time.
    expect(early.status).toBe(200);
    expect(early.headers['content-type']).toBe('application/octet-stream');
    const lines = early.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ custom_id: row, response }) => [row, response.status_code])).toEqual([
      ['a', 200],
      ['b', 200],
    ]);
    expect(await sdk.batches.retrieve(id)).toMatchObject({ status: 'completed' });
    expect((await sdk.batches.list()).data.map((batch) => batch.id)).toContain(id);
  });
});

test('the SDK of OpenAI follows a fine-tuning job', async () => {
  const { id: training_file } = await upload(client, '{}\n', 'fine-tune');
  const job = await client.fineTuning.jobs.create({ model: 'gpt-4o-mini', training_file });
  expect(await client.fineTuning.jobs.retrieve(job.id)).toMatchObject({ id: job.id, status: 'succeeded' });
  expect((await client.fineTuning.jobs.listEvents(job.id)).data).toHaveLength(2);
  expect((await client.fineTuning.jobs.checkpoints.list(job.id)).data).toHaveLength(1);
  expect((await client.fineTuning.jobs.list()).data.map(({ id }) => id)).toContain(job.id);
  const other = await client.fineTuning.jobs.create({ model: 'gpt-4o-mini', training_file });
  expect(await client.fineTuning.jobs.cancel(other.id)).toMatchObject({ status: 'cancelled' });
});

test('an error of the provider is in the normal form, and names it', async () => {
  const answer = await world.send('/v1/batches/nothing', { headers: { 'x-gw-provider': '@groq' } });
  expect([answer.status, answer.json()]).toMatchObject([
    404,
    { error: { message: expect.stringContaining('groq error: No batch found') }, provider: 'groq' },
  ]);
  const output = await world.send('/v1/batches/nothing/output', { headers: { 'x-gw-provider': '@groq' } });
  expect([output.status, output.json()]).toEqual([answer.status, answer.json()]);
});

describe('what a provider does not offer', () => {
  test.for([
    ['GET', '/v1/files'],
    ['GET', '/v1/batches/b/output'],
    ['POST', '/v1/batches/b/cancel'],
    ['POST', '/v1/fine_tuning/jobs'],
  ] as const)('is refused: %s %s', async ([method, path]) => {
    const calls = world.mock.requests.length;
    const body = method === 'POST' ? { body: { model: 'm' } } : {};
    const answer = await world.send(path, { method, headers: { 'x-gw-provider': '@deepseek' }, ...body });
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { error: { code: 'operation_unsupported', message: expect.stringMatching(/is not offered by deepseek/) } },
    ]);
    expect(answer.json().error.message).toContain(path.replace('/b/', '/{batch_id}/'));
    expect(world.mock.requests).toHaveLength(calls);
  });

  test('is reached as it is below /v1/proxy', async () => {
    await world.send('/v1/proxy/files', { headers: { 'x-gw-provider': '@openai' } });
    expect(lastRequest(world.mock)).toMatchObject({ method: 'GET', path: '/v1/files' });
  });
});

test('an account with a list of models tunes listed ones alone', async () => {
  const sdk = clientOf('@listed');
  const { id } = await upload(sdk, chatRow('a', 'Hi'));
  const tune = (model: string) => sdk.fineTuning.jobs.create({ model, training_file: id });
  await expect(tune('gpt-5')).rejects.toMatchObject({ status: 412 });
  expect(await tune('gpt-4o')).toMatchObject({ model: 'gpt-4o' });
});

test('a config with several targets is refused: one provider has the resource', async () => {
  const answer = await world.send('/v1/files', { headers: { 'x-gw-config': 'two' } });
  expect([answer.status, answer.json()]).toMatchObject([400, { message: expect.stringContaining('the config has 2') }]);
});

test('a batch is JSON', async () => {
  const headers = { 'x-gw-provider': '@openai', 'content-type': 'text/plain' };
  expect((await world.send('/v1/batches', { method: 'POST', headers, body: 'x' })).status).toBe(400);
  await expect(client.batches.create({} as never)).rejects.toBeInstanceOf(BadRequestError);
});

describe('a provider that breaks off', () => {
  const at = async (handler: (reply: RawReply) => void | Promise<void>, run: (path: string) => Promise<void>) => {
    await using upstream = await startRawUpstream(handler);
    await using other = await startWorld({ entries: () => [provider('raw', { customHost: `${upstream.url}/v1` })] });
    await run(other.url);
  };

  test('in the content of an output breaks the answer, which is not taken for whole', async () => {
    const begun = Promise.withResolvers<void>();
    await at(
      async ({ request, head, write, answer, reset }) => {
        if (request.target.endsWith('/batches/b')) return answer(200, '{"output_file_id":"f"}');
        await head(200, { 'content-length': '1000' });
        await write('{"id":1}\n');
        await begun.promise;
        reset();
      },
      async (url) => {
        const response = await fetch(`${url}/v1/batches/b/output`, {
          headers: { 'x-gw-api-key': KEY, 'x-gw-provider': '@raw' },
        });
        expect(response.status).toBe(200);
        begun.resolve();
        await expect(response.text()).rejects.toThrow();
      },
    );
  });

  test.for([
    { rule: 'no JSON', batch: '<html>', status: 502 },
    { rule: 'no file', batch: '{"status":"in_progress"}', status: 400 },
  ])('in a batch with $rule has no output', async ({ batch, status }) => {
    await at(
      ({ answer }) => answer(200, batch),
      async (url) => {
        const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@raw' };
        const response = await fetch(`${url}/v1/batches/b/output`, { headers });
        expect(response.status).toBe(status);
        expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
      },
    );
  });

  test.for([
    ['output_blob', 'error_blob'],
    ['error_blob', 'output_file_id'],
  ])('says that the output is in a storage of its own: %s', async ([blob = '', other = '']) => {
    const batch = { status: 'completed', [blob]: 'https://storage.test/c/out.jsonl?sig=hidden', [other]: '' };
    await at(
      ({ answer }) => answer(200, JSON.stringify(batch)),
      async (url) => {
        const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@raw' };
        const response = await fetch(`${url}/v1/batches/b/output`, { headers });
        const text = await response.text();
        expect([response.status, JSON.parse(text)]).toMatchObject([400, { error: { code: 'batch_output_missing' } }]);
        expect(text).toContain(`(${blob} of the batch)`);
        expect(text).not.toContain('hidden');
      },
    );
  });

  test('shows what is wrong with a batch that has no file', async () => {
    const errors = { object: 'list', data: [{ code: 'invalid', message: 'row 2' }] };
    await at(
      ({ answer }) => answer(200, JSON.stringify({ status: 'failed', errors })),
      async (url) => {
        const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@raw' };
        const response = await fetch(`${url}/v1/batches/b/output`, { headers });
        expect([response.status, await response.json()]).toMatchObject([200, errors]);
      },
    );
  });
});

test('usage of a batch is not taken for that of the call which reads or cancels it', async () => {
  const usage = { input_tokens: 1_000, output_tokens: 1_000, total_tokens: 2_000 };
  await using upstream = await startRawUpstream(({ answer }) =>
    answer(200, JSON.stringify({ id: 'b', model: 'gpt-4o', usage }), { 'content-type': 'application/json' }),
  );
  const own: RequestRecord[] = [];
  await using other = await startWorld({
    sinks: [{ name: 'test', readsUsage: true, record: (record) => void own.push(record) }],
    entries: () => [provider('raw', { customHost: `${upstream.url}/v1` })],
  });
  const headers = { 'x-gw-provider': '@raw' };
  await other.send('/v1/batches/b', { headers });
  await other.send('/v1/batches/b/cancel', { method: 'POST', headers });
  await waitFor(() => own.length === 2);
  expect(own.map(({ attempts }) => attempts.at(-1)?.usage)).toEqual([undefined, undefined]);
});
