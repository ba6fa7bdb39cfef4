/** Files of Vertex AI in Cloud Storage: docs/behaviour/files-and-batches.md#vertex-ai. */
import { request as httpRequest } from 'node:http';
import { NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { World } from '../kit/gateway.ts';
import type { FakeGoogleCloud } from '../kit/google-cloud.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { KEY } from '../kit/snapshot.ts';
import { GEMINI, STORED_TOKEN, startVertexWorld, type VertexWorld } from '../kit/vertex-world.ts';
import { waitFor } from '../kit/wait-for.ts';

let there: VertexWorld;
let cloud: FakeGoogleCloud;
let world: World;

beforeAll(async () => {
  there = await startVertexWorld();
  cloud = there.cloud;
  world = there.world;
});
afterAll(() => there[Symbol.asyncDispose]());
beforeEach(() => there.clear());

const clientOf: VertexWorld['clientOf'] = (headers) => there.clientOf(headers);

const upload = async (rows: string, sdk = clientOf(), purpose: 'batch' | 'fine-tune' = 'batch') =>
  sdk.files.create({ purpose, file: await toFile(Buffer.from(rows), 'rows.jsonl') });

const nameOf = (id: string): string => decodeURIComponent(id).slice('gs://'.length);
const linesIn = (name: string): unknown[] =>
  (cloud.objects.get(name)?.toString() ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const expectNothing = () => expect([cloud.objects.size, cloud.uploads.size]).toEqual([0, 0]);
const large = (rows: number): string =>
  Array.from({ length: rows }, (_, i) => chatRow(`r${i}`, 'x'.repeat(4_000_000))).join('');

describe('an upload', () => {
  test('is an object of the bucket of the account, in the words of the model', async () => {
    const file = await upload(chatRow('a', 'Hi') + chatRow('b', 'Ho'));
    expect(file).toMatchObject({
      ...{ object: 'file', purpose: 'batch', status: 'processed' },
      id: expect.stringMatching(/^gs%3A%2F%2Ffiles%2F[0-9a-f-]{36}\.jsonl$/),
      bytes: cloud.objects.get(nameOf(file.id))?.length,
    });
    expect(file.created_at).toBeLessThan(10_000_000_000); // seconds
    expect(linesIn(nameOf(file.id))).toMatchObject([
      { requestId: 'a', request: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] } },
      { requestId: 'b' },
    ]);
    expect(new Set(cloud.calls.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${STORED_TOKEN}`]),
    );
  });

  test.for([
    {
      model: 'claude-sonnet-4@20250514',
      want: { anthropic_version: 'vertex-2023-10-16', messages: [{ role: 'user' }] },
    },
    { model: 'publishers/meta/models/llama-4', want: { messages: [{ role: 'user', content: 'Hi' }] } },
    { model: 'mistral-medium-3', want: { messages: [{ role: 'user', content: 'Hi' }] } },
  ])('for $model has its body, and names no model in it', async ({ model, want }) => {
    const { id } = await upload(chatRow('a', 'Hi'), clientOf({ 'x-gw-provider-model': model }));
    const [line] = linesIn(nameOf(id));
    expect(line).toMatchObject({ requestId: 'a', request: want });
    expect(line).not.toHaveProperty('request.model');
  });

  test('of texts to embed is a line for each', async () => {
    const row = (input: unknown) => `${JSON.stringify({ custom_id: 'a', body: { model: 'm', input } })}\n`;
    const sdk = clientOf({
      'x-gw-provider-model': 'text-embedding-005',
      'x-gw-provider-batch-endpoint': '/v1/embeddings',
    });
    const { id } = await upload(row('Hi'), sdk);
    expect(linesIn(nameOf(id))).toEqual([{ content: 'Hi', requestId: 'a' }]);
    await expect(upload(row(['a', 'b']), sdk)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/line 1/),
    });
  });

  test('is read again, by an id that is encoded once or twice', async () => {
    const file = await upload(chatRow('a', 'Hi'), clientOf({ 'x-gw-provider-file-name': 'in/a b%.jsonl' }));
    expect(decodeURIComponent(file.id)).toBe('gs://files/in/a b%.jsonl');
    const wanted = { id: file.id, bytes: file.bytes, created_at: 1_767_323_045 };
    expect(await clientOf().files.retrieve(file.id)).toMatchObject(wanted);
    const once = await world.send(`/v1/files/${file.id}/content`, { headers: { 'x-gw-provider': '@vertex' } });
    expect([once.status, once.text]).toEqual([200, cloud.objects.get(nameOf(file.id))?.toString()]);
    await expect(clientOf().files.content(encodeURIComponent('gs://files/none'))).rejects.toBeInstanceOf(NotFoundError);
  });

  test('is deleted, and then is not there', async () => {
    const file = await upload(chatRow('a', 'Hi'));
    expect(await clientOf().files.delete(file.id)).toMatchObject({ id: file.id, object: 'file', deleted: true });
    expect(cloud.objects.size).toBe(0);
    await expect(clientOf().files.delete(file.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test('goes in parts of 10 MiB', async () => {
    const { id } = await upload(large(6));
    const puts = cloud.calls.filter(({ method }) => method === 'PUT').map(({ size }) => size);
    expect(puts.slice(0, -1)).toEqual([10 << 20, 10 << 20]);
    expect(linesIn(nameOf(id))).toHaveLength(6);
  });

  test('sends again what the store has not kept, and what failed in passing', async () => {
    const faults: ('half' | 'cut' | { status: number; body: object })[] = [
      'half',
      'cut',
      { status: 503, body: {} },
      'half',
    ];
    cloud.fault = ({ method }) => (method === 'PUT' ? faults.shift() : undefined);
    const { id } = await upload(large(3));
    expect(faults).toEqual([]);
    expect(linesIn(nameOf(id))).toHaveLength(3);
  });

  test.for([
    { rule: 'no JSON', bad: '{sk-secret', problem: /line 2: .*JSON/ },
    {
      rule: 'another url',
      bad: chatRow('b', 'x').replace('/v1/chat/completions', '/v1/responses'),
      problem: /line 2: url/,
    },
    { rule: 'no body', bad: '{"custom_id":"b"}', problem: /line 2: body/ },
  ])('with $rule names the line, and leaves nothing behind', async ({ bad, problem }) => {
    const refused = upload(`${chatRow('a', 'Hi')}${bad}\n`);
    await expect(refused).rejects.toMatchObject({
      status: 400,
      param: 'file',
      message: expect.stringMatching(problem),
    });
    await expect(refused).rejects.not.toThrow(/sk-secret/);
    expectNothing();
  });

  test('that goes bad behind its first part is given up', async () => {
    await expect(upload(`${large(4)}oops\n`)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/line 5/),
    });
    expect(cloud.calls.at(-1)).toMatchObject({ method: 'DELETE' });
    expectNothing();
  });

  test('is given up where the store refuses a part, or says that bytes are lost', async () => {
    const refused = { status: 403, body: { error: { message: 'no' } } };
    cloud.fault = ({ method }) => (method === 'PUT' ? refused : undefined);
    await expect(upload(chatRow('a', 'Hi'))).rejects.toMatchObject({
      status: 403,
      message: expect.stringMatching(/no/),
    });
    const lost = { status: 308, body: {}, headers: { range: 'bytes=0-99999999999' } };
    cloud.fault = ({ method }) => (method === 'PUT' ? lost : undefined);
    await expect(upload(chatRow('a', 'Hi'))).rejects.toMatchObject({ status: 502 });
    expectNothing();
  });

  test('that its client breaks off is given up', async () => {
    const head =
      '--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const request = httpRequest(`${world.url}/v1/files`, {
      method: 'POST',
      headers: {
        ...{ 'x-gw-api-key': KEY, 'x-gw-provider': '@vertex', 'x-gw-provider-model': GEMINI },
        'content-type': 'multipart/form-data; boundary=x',
      },
    });
    request.on('error', () => undefined); // it is broken off
    request.write(head + large(4));
    await waitFor(() => cloud.calls.some(({ method }) => method === 'PUT'), { what: 'the first part' });
    request.destroy();
    await waitFor(() => cloud.uploads.size === 0, { what: 'the end of the upload' });
    expectNothing();
  });

  test('may be of bytes as they are', async () => {
    const { id } = await upload('anything', clientOf({ 'x-gw-file-purpose': 'upload', 'x-gw-provider-model': '' }));
    expect(cloud.objects.get(nameOf(id))?.toString()).toBe('anything');
  });

  test.for([
    { rule: 'a bucket', headers: { 'x-gw-provider': '@nowhere' }, text: /vertex_storage_bucket_name/ },
    { rule: 'a model', headers: { 'x-gw-provider-model': '' }, text: /vertex_model_name/ },
    { rule: 'a model that is no endpoint', headers: { 'x-gw-provider-model': '12345' }, text: /x-gw-provider-model/ },
    {
      rule: 'an endpoint of rows',
      headers: { 'x-gw-provider-batch-endpoint': '/v1/responses' },
      text: /batch-endpoint/,
    },
  ])('needs $rule', async ({ headers, text }) => {
    await expect(upload(chatRow('a', 'Hi'), clientOf(headers))).rejects.toMatchObject({
      ...{ status: 400, message: expect.stringMatching(text) },
    });
    expectNothing();
  });

  test('of training data is chats in the words of Gemini', async () => {
    const messages = [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: 'A' },
    ];
    const { id } = await upload(`${JSON.stringify({ messages })}\n`, clientOf(), 'fine-tune');
    expect(linesIn(nameOf(id))).toMatchObject([
      { systemInstruction: { parts: [{ text: 'S' }] }, contents: [{ role: 'user' }, { role: 'model' }] },
    ]);
    await expect(upload('{}\n', clientOf(), 'fine-tune')).rejects.toMatchObject({
      message: expect.stringMatching(/line 1/),
    });
  });
});

describe('a stored credential', () => {
  test('writes to no bucket that a call names, and replaces no object', async () => {
    const other = upload(chatRow('a', 'Hi'), clientOf({ 'x-gw-vertex-storage-bucket-name': 'other' }));
    await expect(other).rejects.toMatchObject({ status: 400, code: 'account_setting_refused' });
    expect(cloud.calls).toEqual([]);
    const sdk = clientOf({ 'x-gw-provider-file-name': 'in/rows.jsonl' });
    await upload(chatRow('a', 'Hi'), sdk);
    await expect(upload(chatRow('b', 'Ho'), sdk)).rejects.toMatchObject({
      status: 400,
      param: 'x-gw-provider-file-name',
    });
    expect([linesIn('files/in/rows.jsonl'), cloud.uploads.size]).toMatchObject([[{ requestId: 'a' }], 0]);
  });

  test.for(['gs://other/key', 'gs://files/../other', 'gs://files/a/%2e%2e/x', 'gs://files', 's3://files/x'])(
    'reads and deletes nothing at %s',
    async (uri) => {
      const path = `/v1/files/${encodeURIComponent(uri)}`;
      for (const method of ['GET', 'DELETE']) {
        const answer = await world.send(path, { method, headers: { 'x-gw-provider': '@vertex' } });
        expect(answer.status, method).toBe(400);
      }
      expect(cloud.calls).toEqual([]);
    },
  );

  test('of a list of models takes rows of these alone', async () => {
    const listed = (model: string) => clientOf({ 'x-gw-provider': '@listed', 'x-gw-provider-model': model });
    const row = (model: string) => chatRow('a', 'Hi', model);
    await expect(upload(row(GEMINI), listed('gemini-2.5-pro'))).rejects.toMatchObject({ status: 412 });
    await expect(upload(row('gemini-2.5-pro'), listed(GEMINI))).rejects.toMatchObject({
      ...{ status: 412, message: expect.stringMatching(/line 1/) },
    });
    expectNothing();
    expect((await upload(row(GEMINI), listed(GEMINI))).bytes).toBeGreaterThan(0);
  });
});

test('a call with its own credential names the bucket', async () => {
  const sdk = clientOf({
    ...{ 'x-gw-provider': 'vertex-ai', 'x-gw-api-key': KEY, 'x-gw-custom-host': cloud.url },
    ...{ 'x-gw-vertex-region': 'us-central1', 'x-gw-vertex-project-id': 'p1' },
    ...{ authorization: 'Bearer guest-token', 'x-gw-vertex-storage-bucket-name': 'mine' },
  });
  const { id } = await upload(chatRow('a', 'Hi'), sdk);
  expect(nameOf(id)).toMatch(/^mine\//);
  expect(new Set(cloud.calls.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer guest-token']));
});
