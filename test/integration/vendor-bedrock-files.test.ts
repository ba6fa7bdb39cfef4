/** Files of Bedrock in buckets of S3: docs/behaviour/files-and-batches.md#bedrock. */
import { request as httpRequest } from 'node:http';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FakeAws, startAws } from '../kit/aws.ts';
import { startWorld, type World } from '../kit/gateway.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const KEYS = { aws_access_key_id: 'AKIDSTORED', aws_secret_access_key: 'stored-secret-0123456789' };
const CLAUDE = 'anthropic.claude-3-haiku-20240307-v1:0';
const NOVA = 'amazon.nova-lite-v1:0';

let aws: FakeAws;
let world: World;

beforeAll(async () => {
  aws = await startAws();
  const account = { provider: 'bedrock', customHost: aws.url, secret: KEYS };
  const settings = { aws_region: 'eu-west-1', aws_s3_bucket: 'files' };
  world = await startWorld({
    env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    entries: () => [
      provider('bedrock', { ...account, settings }),
      provider('sealed', {
        ...account,
        settings: { ...settings, aws_server_side_encryption_kms_key_id: 'key-1' },
      }),
      provider('nowhere', { ...account, settings: { aws_region: 'eu-west-1' } }),
      provider('listed', { ...account, settings, models: [NOVA] }),
      provider('keyed', { ...account, settings, secret: 'bedrock-api-key' }),
    ],
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await aws[Symbol.asyncDispose]();
});
beforeEach(() => {
  aws.fault = undefined;
  aws.calls.length = 0;
  aws.objects.clear();
});

type Headers = Readonly<Record<string, string>>;

const clientOf = (headers: Headers = {}): OpenAI =>
  new OpenAI({
    baseURL: `${world.url}/v1`,
    apiKey: KEY,
    defaultHeaders: { 'x-gw-provider': '@bedrock', 'x-gw-provider-model': CLAUDE, ...headers },
    maxRetries: 0,
  });

/** A client with a credential of its own. */
const guest = (headers: Headers = {}): OpenAI =>
  clientOf({
    'x-gw-provider': 'bedrock',
    'x-gw-api-key': KEY,
    'x-gw-custom-host': aws.url,
    'x-gw-aws-access-key-id': 'AKIDGUEST',
    'x-gw-aws-secret-access-key': 'guest-secret-0123456789',
    'x-gw-aws-region': 'eu-west-1',
    ...headers,
  });

const upload = async (rows: string | Buffer, sdk = clientOf(), purpose: 'batch' | 'fine-tune' = 'batch') =>
  sdk.files.create({ purpose, file: await toFile(Buffer.from(rows), 'rows.jsonl') });

const linesIn = (path: string): unknown[] =>
  (aws.objects.get(path)?.toString() ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const pathOf = (id: string): string => decodeURIComponent(id).slice('s3:/'.length);

/** Neither an object nor a begun upload. */
const expectNothing = () => expect([aws.objects.size, aws.uploads.size]).toEqual([0, 0]);

describe('an upload', () => {
  test('is an object of the bucket of the account, in the words of the model', async () => {
    const file = await upload(chatRow('a', 'Hi') + chatRow('b', 'Ho'));
    expect(file).toMatchObject({
      ...{ object: 'file', purpose: 'batch', status: 'processed', status_details: '' },
      id: expect.stringMatching(/^s3%3A%2F%2Ffiles%2F[0-9a-f-]{36}\.jsonl$/),
      filename: decodeURIComponent(file.id),
      bytes: aws.objects.get(pathOf(file.id))?.length,
    });
    expect(file.created_at).toBeLessThan(10_000_000_000); // seconds
    expect(linesIn(pathOf(file.id))).toMatchObject([
      {
        recordId: 'a',
        modelInput: {
          anthropic_version: 'bedrock-2023-05-31',
          messages: [{ role: 'user' }],
          max_tokens: expect.any(Number),
        },
      },
      { recordId: 'b' },
    ]);
    expect(linesIn(pathOf(file.id))[0]).not.toHaveProperty('modelInput.model');
    expect(aws.uploads.size).toBe(0);
    expect(new Set(aws.calls.map(({ service, accessKey }) => `${service} ${accessKey}`))).toEqual(
      new Set(['s3 AKIDSTORED']),
    );
  });

  test('is read again, by an id that is encoded once or twice', async () => {
    const file = await upload(chatRow('a', 'Hi'));
    const sdk = clientOf();
    const wanted = { id: file.id, bytes: file.bytes, created_at: 1_767_323_045, status: 'processed' };
    expect(await sdk.files.retrieve(file.id)).toMatchObject(wanted);
    const headers = { 'x-gw-provider': '@bedrock' };
    const once = await world.send(`/v1/files/${file.id}`, { headers });
    expect([once.status, once.json()]).toMatchObject([200, wanted]);
    const content = await sdk.files.content(file.id);
    expect(Buffer.from(await content.arrayBuffer()).equals(aws.objects.get(pathOf(file.id)) ?? Buffer.alloc(0))).toBe(
      true,
    );
  });

  test('takes what has no number of bytes known before, in parts of 10 MiB', async () => {
    const rows = Array.from({ length: 6 }, (_, i) => chatRow(`r${i}`, 'x'.repeat(4_000_000))).join('');
    const { id } = await upload(rows);
    const sizes = aws.calls
      .filter(({ query }) => query.has('partNumber'))
      .map(({ headers }) => headers['content-length']);
    expect(sizes.slice(0, -1)).toEqual([String(10 << 20), String(10 << 20)]);
    expect(linesIn(pathOf(id))).toHaveLength(6);
  });

  test('has the encryption of the account', async () => {
    await upload(chatRow('a', 'Hi'), clientOf({ 'x-gw-provider': '@sealed' }));
    expect(aws.calls[0]?.headers).toMatchObject({
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
    });
  });

  test.for([
    { rule: 'no JSON', bad: '{sk-secret', problem: /line 2: .*JSON/ },
    {
      rule: 'another url',
      bad: chatRow('b', 'x').replace('/v1/chat/completions', '/v1/responses'),
      problem: /line 2: url/,
    },
    {
      rule: 'rows of two kinds',
      bad: chatRow('b', 'x').replace('/v1/chat/completions', '/v1/embeddings'),
      problem: /line 2: all/,
    },
    {
      rule: 'a file by URL',
      bad: JSON.stringify({
        custom_id: 'b',
        url: '/v1/chat/completions',
        body: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://h/x.png' } }] }] },
      }),
      problem: /line 2: .*URL/,
    },
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

  test('that goes bad behind its first part is aborted', async () => {
    const rows = Array.from({ length: 4 }, (_, i) => chatRow(`r${i}`, 'x'.repeat(4_000_000))).join('');
    await expect(upload(`${rows}oops\n`)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('line 5'),
    });
    expect(aws.calls.at(-1)).toMatchObject({ method: 'DELETE' });
    expectNothing();
  });

  test.for([
    { rule: 'refuses a part', isHit: ({ method }: { method: string }) => method === 'PUT', status: 403 },
    {
      rule: 'refuses the end',
      isHit: ({ method, query }: { method: string; query: URLSearchParams }) =>
        method === 'POST' && query.has('uploadId'),
      status: 403,
    },
  ])('is aborted where the bucket $rule', async ({ isHit, status }) => {
    aws.fault = (call) =>
      isHit(call) ? { status, body: '<Error><Code>AccessDenied</Code><Message>no</Message></Error>' } : undefined;
    await expect(upload(chatRow('a', 'Hi'))).rejects.toMatchObject({ status, message: expect.stringContaining('no') });
    aws.fault = undefined;
    expectNothing();
  });

  test('is aborted where the bucket answers its end with an error inside', async () => {
    aws.fault = ({ method, query }) =>
      method === 'POST' && query.has('uploadId')
        ? { status: 200, body: '<Error><Code>InternalError</Code><Message>oops</Message></Error>' }
        : undefined;
    await expect(upload(chatRow('a', 'Hi'))).rejects.toMatchObject({ status: 502 });
    expectNothing();
  });

  test('tries a part again that fails in passing', async () => {
    let failures = 2;
    aws.fault = ({ method }) => {
      if (method !== 'PUT' || failures === 0) return undefined;
      failures -= 1;
      return failures === 0 ? 'cut' : { status: 503, body: '<Error><Code>SlowDown</Code></Error>' };
    };
    const { id } = await upload(chatRow('a', 'Hi'));
    expect(linesIn(pathOf(id))).toHaveLength(1);
  });

  test('that its client breaks off is aborted', async () => {
    const head =
      '--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const request = httpRequest(`${world.url}/v1/files`, {
      method: 'POST',
      headers: {
        ...{ 'x-gw-api-key': KEY, 'x-gw-provider': '@bedrock', 'x-gw-provider-model': CLAUDE },
        'content-type': 'multipart/form-data; boundary=x',
      },
    });
    request.on('error', () => undefined); // it is broken off
    request.write(head);
    for (let i = 0; i < 4; i += 1) request.write(chatRow(`r${i}`, 'x'.repeat(4_000_000)));
    await waitFor(() => aws.calls.some(({ method }) => method === 'PUT'), { what: 'the first part' });
    request.destroy();
    await waitFor(() => aws.uploads.size === 0, { what: 'the end of the upload' });
    expectNothing();
  });
});

describe('what an upload needs', () => {
  test.for([
    { rule: 'a bucket', headers: { 'x-gw-provider': '@nowhere' }, text: /aws_s3_bucket/ },
    { rule: 'a model', headers: { 'x-gw-provider-model': '' }, text: /aws_bedrock_model/ },
    {
      rule: 'a model that is known',
      headers: { 'x-gw-provider-model': 'deepseek.r1-v1:0' },
      text: /Invalid model slug/,
    },
    { rule: 'keys of AWS', headers: { 'x-gw-provider': '@keyed' }, text: /not offered by bedrock for this account/ },
  ])('is $rule', async ({ headers, text }) => {
    await expect(upload(chatRow('a', 'Hi'), clientOf(headers))).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(text),
    });
    expectNothing();
  });

  test.for([
    { rule: 'a purpose before the file', parts: ['file', 'purpose'], param: 'purpose' },
    { rule: 'a file', parts: ['purpose'], param: 'file' },
    { rule: 'one file', parts: ['purpose', 'file', 'file'], param: 'file' },
  ])('is $rule', async ({ parts, param }) => {
    const text = parts
      .map((name) =>
        name === 'file'
          ? `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${chatRow('a', 'Hi')}\r\n`
          : '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n',
      )
      .join('');
    const answer = await world.send('/v1/files', {
      method: 'POST',
      headers: {
        ...{ 'x-gw-provider': '@bedrock', 'x-gw-provider-model': CLAUDE },
        'content-type': 'multipart/form-data; boundary=b',
      },
      body: `${text}--b--\r\n`,
    });
    expect([answer.status, answer.json()]).toMatchObject([400, { error: { param } }]);
    expectNothing();
  });
});

describe('a stored credential', () => {
  test('writes to no bucket that a call names', async () => {
    for (const header of ['x-gw-aws-s3-bucket', 'x-gw-cloud-c-s3-bucket']) {
      const refused = upload(chatRow('a', 'Hi'), clientOf({ [header]: 'other' }));
      await expect(refused).rejects.toMatchObject({ status: 400, code: 'account_setting_refused' });
    }
    expect(aws.calls).toEqual([]);
    await upload(chatRow('a', 'Hi'), clientOf({ 'x-gw-aws-s3-bucket': 'files' }));
  });

  test.for([
    's3://other/key',
    's3://files.evil/key',
    's3://files/../other/key',
    's3://files/a/../../other',
    's3://files/./key',
    's3://files//key',
    's3://files/',
    's3://files',
    'https://files/key',
    's3://FILES/key',
    's3://files/a\u0000b',
    '%2e%2e',
  ])('reads nothing at %s', async (uri) => {
    const answer = await world.send(`/v1/files/${encodeURIComponent(uri)}/content`, {
      headers: { 'x-gw-provider': '@bedrock' },
    });
    expect(answer.status).toBe(400);
    expect(aws.calls).toEqual([]);
  });

  test('replaces no object that a call names', async () => {
    const sdk = clientOf({ 'x-gw-provider-file-name': 'in/rows.jsonl' });
    const { id } = await upload(chatRow('a', 'Hi'), sdk);
    expect(decodeURIComponent(id)).toBe('s3://files/in/rows.jsonl');
    const refused = upload(chatRow('b', 'Ho'), sdk);
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'x-gw-provider-file-name' });
    expect([linesIn('/files/in/rows.jsonl'), aws.uploads.size]).toMatchObject([[{ recordId: 'a' }], 0]);
    const climbing = upload(chatRow('a', 'Hi'), clientOf({ 'x-gw-provider-file-name': '../x' }));
    await expect(climbing).rejects.toMatchObject({ status: 400, param: 'x-gw-provider-file-name' });
  });

  test('of a list of models takes rows of these alone', async () => {
    const listed = (model: string) => clientOf({ 'x-gw-provider': '@listed', 'x-gw-provider-model': model });
    await expect(upload(chatRow('a', 'Hi'), listed(CLAUDE))).rejects.toMatchObject({ status: 412 });
    const row = (model: string) => chatRow('a', 'Hi').replace(/"model":"[^"]*"/, `"model":"${model}"`);
    await expect(upload(row(CLAUDE), listed(NOVA))).rejects.toMatchObject({
      status: 412,
      message: expect.stringContaining('line 1'),
    });
    expectNothing();
    expect((await upload(row(NOVA), listed(NOVA))).bytes).toBeGreaterThan(0);
  });
});

test('a call with its own credential names bucket and object, and replaces it', async () => {
  const sdk = guest({ 'x-gw-aws-s3-bucket': 'mine', 'x-gw-aws-s3-object-key': 'k.jsonl' });
  await upload(chatRow('a', 'Hi'), sdk);
  const { id } = await upload(chatRow('b', 'Ho'), sdk);
  expect(id).toBe(encodeURIComponent('s3://mine/k.jsonl'));
  expect(linesIn('/mine/k.jsonl')).toMatchObject([{ recordId: 'b' }]);
  expect(new Set(aws.calls.map(({ accessKey }) => accessKey))).toEqual(new Set(['AKIDGUEST']));
});

describe('training data', () => {
  const chat = (...messages: object[]): string => `${JSON.stringify({ messages })}\n`;
  const user = { role: 'user', content: 'Q' };
  const assistant = { role: 'assistant', content: 'A' };
  const system = { role: 'system', content: 'S' };
  const text = clientOf;

  test('is conversations', async () => {
    const { id } = await upload(chat(system, user, assistant) + chat(user, assistant), clientOf(), 'fine-tune');
    expect(linesIn(pathOf(id))).toEqual([
      { system: 'S', messages: [user, assistant] },
      { messages: [user, assistant] },
    ]);
  });

  test('is pairs of texts where the call says so', async () => {
    const rows = `${chat(user, assistant)}{"prompt":"P","completion":"C"}\n`;
    const { id } = await upload(rows, text({ 'x-gw-model-type': 'text' }), 'fine-tune');
    expect(linesIn(pathOf(id))).toEqual([
      { prompt: 'Q', completion: 'A' },
      { prompt: 'P', completion: 'C' },
    ]);
  });

  test.for([
    { rule: 'no answer', line: chat(user), type: 'chat' },
    { rule: 'a wrong order', line: chat(assistant, user), type: 'chat' },
    { rule: 'no messages', line: '{}\n', type: 'chat' },
    { rule: 'no JSON', line: 'x\n', type: 'chat' },
    { rule: 'more than a pair', line: chat(user, assistant, user, assistant), type: 'text' },
  ])('with $rule is refused with its line', async ({ line, type }) => {
    const refused = upload(chat(user, assistant) + line, text({ 'x-gw-model-type': type }), 'fine-tune');
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining('line 2') });
    expectNothing();
  });
});

test('a file that is not there is an error in the normal form', async () => {
  const id = encodeURIComponent('s3://files/none');
  await expect(clientOf().files.content(id)).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('bedrock error: NoSuchKey & more'),
  });
  await expect(clientOf().files.retrieve(id)).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('The bucket has answered 404'),
  });
});

test('files are not listed or deleted', async () => {
  await expect(clientOf().files.list()).rejects.toMatchObject({ status: 400, code: 'operation_unsupported' });
  await expect(clientOf().files.delete('x')).rejects.toMatchObject({ status: 400, code: 'operation_unsupported' });
});
