/** Files and batches of OpenAI's API at Anthropic: docs/behaviour/files-and-batches.md#anthropic. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic, { NotFoundError as AnthropicNotFound, toFile as toAnthropicFile } from '@anthropic-ai/sdk';
import OpenAI, { BadRequestError, NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { type RawReply, startRawUpstream } from '../kit/raw-upstream.ts';
import { KEY, provider } from '../kit/snapshot.ts';

const MODEL = 'claude-sonnet-4-5';

let folder: string;
let world: World;
let client: OpenAI;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-batches-'));
  world = await startWorld({
    env: { GATEHOUSE_BATCH_DIR: folder, GATEHOUSE_BATCH_ROWS_PER_PROCESS: '0' }, // it follows no batch
    entries: ({ url }) => [provider('listed', { provider: 'anthropic', customHost: `${url}/v1`, models: [MODEL] })],
  });
  client = clientOf('@anthropic');
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const clientOf = (name: string): OpenAI =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, defaultHeaders: { 'x-gw-provider': name }, maxRetries: 0 });

const row = (id: string, text: string, model = MODEL) => chatRow(id, text, model);
const upload = async (sdk: OpenAI, rows: string) =>
  sdk.files.create({ file: await toFile(Buffer.from(rows), 'rows.jsonl'), purpose: 'batch' });
const create = (sdk: OpenAI, input_file_id: string) =>
  sdk.batches.create({ input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' });
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('files', () => {
  test('are stored, listed, read and deleted by the SDK of OpenAI', async () => {
    const file = await upload(client, 'some text');
    expect(file).toMatchObject({ object: 'file', filename: 'rows.jsonl', purpose: 'user_data', bytes: 9 });
    expect(lastRequest(world.mock).headers).toMatchObject({ 'anthropic-beta': 'files-api-2025-04-14' });
    expect((await client.files.list({ limit: 10 })).data.map(({ id }) => id)).toContain(file.id);
    expect(await client.files.retrieve(file.id)).toMatchObject({ id: file.id, bytes: 9 });
    expect(await (await client.files.content(file.id)).text()).toBe('some text');
    expect(await client.files.delete(file.id)).toMatchObject({ id: file.id, object: 'file', deleted: true });
    await expect(client.files.retrieve(file.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test('are listed page by page', async () => {
    const created = [await upload(client, '1'), await upload(client, '2'), await upload(client, '3')];
    const listed: string[] = [];
    for await (const { id } of client.files.list({ limit: 1 })) listed.push(id);
    expect(listed).toEqual(expect.arrayContaining(created.map(({ id }) => id)));
  });

  test('are as the SDK of Anthropic has them', async () => {
    const own = new Anthropic({
      baseURL: world.url,
      apiKey: KEY,
      defaultHeaders: { 'x-gw-provider': '@anthropic' },
      maxRetries: 0,
    });
    const file = await own.beta.files.upload({ file: await toAnthropicFile(Buffer.from('text'), 'a.txt') });
    expect(file).toMatchObject({ type: 'file', filename: 'a.txt', size_bytes: 4 });
    expect((await own.beta.files.list()).data.map(({ id }) => id)).toContain(file.id);
    expect(await (await own.beta.files.download(file.id)).text()).toBe('text');
    expect(await own.beta.files.delete(file.id)).toMatchObject({ type: 'file_deleted' });
    await expect(own.beta.files.retrieveMetadata(file.id)).rejects.toBeInstanceOf(AnthropicNotFound);
  });
});

describe('batches', () => {
  test('run the rows of a file that the gateway keeps, and are the file of their output', async () => {
    const input = await upload(clientOf('gw'), row('a', 'Hi') + row('b', 'Ho'));
    const created = await create(client, input.id);
    expect(created).toMatchObject({ object: 'batch', status: 'in_progress', input_file_id: input.id });
    expect(JSON.parse(lastRequest(world.mock).body.toString())).toMatchObject({
      requests: [
        { custom_id: 'a', params: { model: MODEL, max_tokens: 64_000, messages: [{ role: 'user' }] } },
        { custom_id: 'b' },
      ],
    });
    const batch = await client.batches.retrieve(created.id);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 2, failed: 0 } });
    const text = await (await client.files.content(batch.output_file_id ?? '')).text();
    expect(linesOf(text)).toMatchObject([
      {
        custom_id: 'a',
        error: null,
        response: {
          status_code: 200,
          body: { object: 'chat.completion', model: MODEL, created: batch.completed_at },
        },
      },
      { custom_id: 'b', error: null, response: { status_code: 200 } },
    ]);
    const output = await world.send(`/v1/batches/${created.id}/output`, { headers: { 'x-gw-provider': '@anthropic' } });
    expect([output.status, output.headers['content-type'], output.text]).toEqual([
      200,
      'application/octet-stream',
      text,
    ]);
    expect((await client.batches.list()).data.map(({ id }) => id)).toContain(created.id);
  });

  test('run the rows of a file at the provider', async () => {
    const { id } = await create(client, (await upload(client, row('a', 'Hi'))).id);
    expect(await client.batches.retrieve(id)).toMatchObject({ request_counts: { total: 1 } });
  });

  test('run the rows of the request itself, and say what is left out', async () => {
    const requests = [row('a', 'Hi'), row('b', 'Ho')].map((line) => JSON.parse(line));
    const answer = await world.send('/v1/batches', {
      method: 'POST',
      headers: { 'x-gw-provider': '@anthropic' },
      body: { requests, metadata: { job: 'x' } },
    });
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      { input_file_id: null, request_counts: { total: 2 }, provider: 'anthropic' },
    ]);
    expect(answer.headers['x-gw-dropped-params']).toBe('metadata');
  });

  test('of messages run rows as they are, and are answered as messages where the call says so', async () => {
    const body = {
      model: MODEL,
      max_tokens: 9,
      thinking: { type: 'disabled' },
      messages: [{ role: 'user', content: 'Hi' }],
    };
    const rows = ['a', 'b'].map((id) => JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/messages', body }));
    const input = await upload(clientOf('gw'), `${rows.join('\n')}\n`);
    const headers = { 'x-gw-provider': '@anthropic' };
    const asked = { input_file_id: input.id, endpoint: '/v1/messages' };
    const created = await world.send('/v1/batches', { method: 'POST', headers, body: asked });
    expect([created.status, created.json()]).toMatchObject([200, { endpoint: '/v1/messages', provider: 'anthropic' }]);
    expect(JSON.parse(lastRequest(world.mock).body.toString()).requests).toEqual([
      { custom_id: 'a', params: body },
      { custom_id: 'b', params: body },
    ]);
    const { id } = created.json();
    await client.batches.retrieve(id);
    const messages = {
      response: { status_code: 200, body: { type: 'message', model: MODEL, content: [{ type: 'text' }] } },
    };
    for (const path of [`/v1/batches/${id}/output`, `/v1/files/${id}/content`]) {
      const own = await world.send(`${path}?endpoint=%2Fv1%2Fmessages`, { headers });
      expect([own.status, linesOf(own.text)]).toMatchObject([200, [messages, messages]]);
      const chats = await world.send(path, { headers });
      expect(linesOf(chats.text)[0]).toMatchObject({ response: { body: { object: 'chat.completion' } } });
      const other = await world.send(`${path}?endpoint=/v1/responses`, { headers });
      expect([other.status, other.json()]).toMatchObject([400, { error: { code: 'operation_unsupported' } }]);
    }
  });

  test.for(['/v1/embeddings', '/v1/responses', '/v1/completions', '/v1/messages/count_tokens'])(
    'of %s are not offered, and the error names both',
    async (endpoint) => {
      const headers = { 'x-gw-provider': '@anthropic' };
      const requests = [{ custom_id: 'a', url: endpoint, body: {} }];
      for (const body of [{ input_file_id: 'f', endpoint }, { requests }]) {
        const answer = await world.send('/v1/batches', { method: 'POST', headers, body });
        expect([answer.status, answer.json()]).toMatchObject([400, { error: { code: 'operation_unsupported' } }]);
        expect(answer.text).toContain(`Batches of ${endpoint} are not supported by anthropic`);
      }
    },
  );

  test('are cancelled, and then have an error for every row', async () => {
    const { id } = await create(client, (await upload(client, row('a', 'Hi'))).id);
    expect(await client.batches.cancel(id)).toMatchObject({ status: 'cancelling' });
    expect(await client.batches.retrieve(id)).toMatchObject({ status: 'cancelled' });
    const text = await (await client.files.content(id)).text();
    expect(linesOf(text)).toMatchObject([{ custom_id: 'a', response: null, error: { code: 'batch_cancelled' } }]);
  });

  test.for([
    { rule: 'of another endpoint', body: { input_file_id: 'f', endpoint: '/v1/embeddings' }, param: 'endpoint' },
    { rule: 'of another window', body: { input_file_id: 'f', completion_window: '1h' }, param: 'completion_window' },
    { rule: 'without rows', body: {}, param: 'input_file_id' },
    { rule: 'with rows in two places', body: { input_file_id: 'f', requests: [] }, param: 'input_file_id' },
    { rule: 'with an empty list', body: { requests: [] }, param: 'requests' },
    {
      rule: 'with a row of another endpoint',
      body: { requests: [{ custom_id: 'a', url: '/v1/messages', body: {} }] },
      param: 'requests',
    },
    { rule: 'with a stream', body: { requests: [{ custom_id: 'a', body: { stream: true } }] }, param: 'requests' },
  ])('$rule are refused', async ({ body, param }) => {
    const before = world.mock.requests.length;
    const headers = { 'x-gw-provider': '@anthropic' };
    const answer = await world.send('/v1/batches', { method: 'POST', headers, body });
    expect([answer.status, answer.json()]).toMatchObject([400, { error: { param } }]);
    await expectNothingLeft(world);
    expect(world.mock.requests.slice(before).filter(({ outcome }) => outcome === 'finished')).toEqual([]);
  });

  test('with a bad row in a file are not created, and the error names the line', async () => {
    const input = await upload(clientOf('gw'), `${row('a', 'Hi')}{"custom_id":"b"}\n`);
    const before = (await client.batches.list()).data.length;
    const refused = create(client, input.id);
    await expect(refused).rejects.toBeInstanceOf(BadRequestError);
    await expect(refused).rejects.toThrow(/input_file_id, line 2: body/);
    expect((await client.batches.list()).data).toHaveLength(before);
  });

  test('of a file that is not there are refused in the words of who has it not', async () => {
    await expect(create(client, 'gw_file_none')).rejects.toMatchObject({ status: 404, code: 'file_unknown' });
    await expect(create(client, 'file_none')).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('anthropic error'),
    });
    await expectNothingLeft(world);
  });
});

describe('an account that admits listed models', () => {
  test('runs batches of these models alone', async () => {
    const sdk = clientOf('@listed');
    const input = async (rows: string) => (await upload(clientOf('gw'), rows)).id;
    expect(await create(sdk, await input(row('a', 'Hi') + row('b', 'Ho')))).toMatchObject({ status: 'in_progress' });
    for (const other of [row('b', 'Ho', 'claude-opus-4-1'), row('b', 'Ho', ''), chatRow('b', 'Ho', undefined)]) {
      const refused = create(sdk, await input(row('a', 'Hi') + other));
      await expect(refused).rejects.toMatchObject({ status: 412 });
      await expect(refused).rejects.toThrow(/line 2/);
    }
  });
});

describe('an upstream', () => {
  const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@raw' };
  const at = async (handler: (reply: RawReply) => void | Promise<void>, run: (path: string) => Promise<void>) => {
    await using upstream = await startRawUpstream(handler);
    await using other = await startWorld({
      entries: () => [provider('raw', { provider: 'anthropic', customHost: `${upstream.url}/v1` })],
    });
    await run(other.url);
  };
  const ended = (url: string) =>
    JSON.stringify({ id: 'msgbatch_1', processing_status: 'ended', request_counts: {}, results_url: url });
  const RESULTS = '/v1/messages/batches/msgbatch_1/results';

  test('that names another host gets no credential there: results are read from the host of the account', async () => {
    const paths: string[] = [];
    await at(
      ({ request, answer }) => {
        paths.push(request.target);
        return answer(
          200,
          request.target === RESULTS
            ? '{"custom_id":"a","result":{"type":"expired"}}'
            : ended(`http://evil.example${RESULTS}`),
        );
      },
      async (url) => {
        const response = await fetch(`${url}/v1/batches/msgbatch_1/output`, { headers });
        expect(await response.json()).toMatchObject({ custom_id: 'a', error: { code: 'batch_expired' } });
        expect(paths).toEqual(['/v1/messages/batches/msgbatch_1', RESULTS]);
      },
    );
  });

  test.for(['in_progress', 'canceling', 'ended'])('has no output in the state %s without results', async (state) => {
    await at(
      ({ answer }) => answer(200, JSON.stringify({ id: 'msgbatch_1', processing_status: state, results_url: null })),
      async (url) => {
        const response = await fetch(`${url}/v1/files/msgbatch_1/content`, { headers });
        expect([response.status, await response.json()]).toMatchObject([
          400,
          { error: { code: 'batch_output_missing' } },
        ]);
      },
    );
  });

  test('that names the results of another batch is not believed', async () => {
    await at(
      ({ answer }) => answer(200, ended('https://api.anthropic.com/v1/messages/batches/msgbatch_2/results')),
      async (url) => {
        const response = await fetch(`${url}/v1/batches/msgbatch_1/output`, { headers });
        expect([response.status, await response.json()]).toMatchObject([
          502,
          { error: { message: expect.stringContaining('results_url') } },
        ]);
      },
    );
  });

  test.for([
    { rule: 'no JSON', line: 'nonsense\n' },
    { rule: 'no result', line: '{"custom_id":"b"}\n' },
  ])('that sends a line with $rule breaks the answer, which is not taken for whole', async ({ line }) => {
    await at(
      ({ request, answer }) =>
        answer(
          200,
          request.target === RESULTS
            ? `{"custom_id":"a","result":{"type":"expired"}}\n${line}`
            : ended(`https://h${RESULTS}`),
        ),
      async (url) => {
        const read = fetch(`${url}/v1/batches/msgbatch_1/output`, { headers }).then((response) => response.text());
        await expect(read).rejects.toThrow();
      },
    );
  });

  test('that breaks off while rows are sent answers 502, and the rest of the file is not read', async () => {
    await at(
      ({ request, answer, reset }) => (request.method === 'GET' ? answer(200, row('a', 'Hi').repeat(1_000)) : reset()),
      async (url) => {
        const body = JSON.stringify({ input_file_id: 'file_1' });
        const response = await fetch(`${url}/v1/batches`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
        });
        expect(response.status).toBe(502);
      },
    );
  });
});
