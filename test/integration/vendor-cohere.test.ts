/** Datasets and embed jobs of Cohere by the SDK of OpenAI: docs/behaviour/files-and-batches.md#cohere. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import OpenAI, { NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedRow, embeddedFile } from '../kit/avro.ts';
import { type FakeCohere, startCohere } from '../kit/cohere.ts';
import { expectNothingLeft, startWorld, type World } from '../kit/gateway.ts';
import { KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const SECRET = 'co-secret-0123456789';
const MODEL = 'embed-english-v3.0';

let cohere: FakeCohere;
let world: World;
let client: OpenAI;
let records: RequestRecord[];
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };

beforeAll(async () => {
  cohere = await startCohere();
  records = [];
  const account = { provider: 'cohere', customHost: cohere.url, secret: SECRET };
  world = await startWorld({
    sinks: [sink],
    entries: () => [provider('cohere', account), provider('listed', { ...account, models: [MODEL] })],
  });
  client = clientOf('@cohere');
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await cohere[Symbol.asyncDispose]();
});
beforeEach(() => {
  cohere.fault = undefined;
  records.length = 0;
  for (const kept of [cohere.datasets, cohere.jobs, cohere.objects]) kept.clear();
});

const clientOf = (name: string): OpenAI =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, defaultHeaders: { 'x-gw-provider': name }, maxRetries: 0 });

const row = (customId: string, input: unknown, more: object = {}): string =>
  `${JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/embeddings', body: { model: MODEL, input }, ...more })}\n`;

const upload = async (text: string, purpose: 'batch' | 'fine-tune' = 'batch') =>
  client.files.create({ file: await toFile(Buffer.from(text), 'rows.jsonl'), purpose });

describe('files', () => {
  test('are datasets of texts, whatever comes first in the form', async () => {
    const file = await upload(row('a', 'Hi') + row('b', ['Ho']) + row('c', 'é', { url: undefined }));
    expect(file).toMatchObject({ object: 'file', purpose: 'batch', status: 'uploaded', provider: 'cohere' });
    expect(file.created_at).toBeLessThan(10_000_000_000); // seconds
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(cohere.rows.get(file.id)).toEqual([
      { custom_id: 'a', text: 'Hi', id },
      { custom_id: 'b', text: 'Ho', id },
      { custom_id: 'c', text: 'é', id },
    ]);
    const { method, path, query, authorization } = cohere.calls.at(-1) ?? {};
    expect([method, path, authorization]).toEqual(['POST', '/v1/datasets', `Bearer ${SECRET}`]);
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      ...{ name: file.filename, type: 'embed-input', keep_fields: 'custom_id,id' },
    });
    expect(await client.files.retrieve(file.id)).toMatchObject({ bytes: file.bytes, filename: file.filename });
  });

  test.for([
    { rule: 'no JSON', bad: '{sk-secret\n', problem: /line 2: / },
    { rule: 'another endpoint', bad: row('b', 'x', { url: '/v1/chat/completions' }), problem: /line 2: url is/ },
    { rule: 'several texts', bad: row('b', ['x', 'y']), problem: /line 2: input is one text/ },
    { rule: 'tokens', bad: row('b', [1, 2]), problem: /line 2: input is one text/ },
    { rule: 'lists of tokens', bad: row('b', [[1, 2]]), problem: /line 2: input is one text/ },
    { rule: 'no text', bad: row('b', ''), problem: /line 2: input is one text/ },
    { rule: 'no custom_id', bad: row('', 'x'), problem: /line 2: custom_id/ },
    { rule: 'a row that is too long', bad: row('b', 'x'.repeat(4 << 20)), problem: /line 2: it has more than/ },
  ])('with $rule are refused with the line, and no dataset is made', async ({ bad, problem }) => {
    const refused = upload(row('a', 'Hi') + bad + row('c', 'Hu'));
    await expect(refused).rejects.toMatchObject({
      status: 400,
      param: 'file',
      message: expect.stringMatching(problem),
    });
    await expect(refused).rejects.not.toThrow(/sk-secret/);
    expect(cohere.datasets.size).toBe(0);
    await expectNothingLeft(world);
  });

  test.for([
    { rule: 'for another purpose', text: row('a', 'Hi'), purpose: 'fine-tune', param: 'purpose' },
    { rule: 'without rows', text: '\n', purpose: 'batch', param: 'file' },
  ] as const)('$rule are refused', async ({ text, purpose, param }) => {
    await expect(upload(text, purpose)).rejects.toMatchObject({ status: 400, param });
    expect(cohere.datasets.size).toBe(0);
  });

  test('are forms with one file and a purpose', async () => {
    const send = (body: string, type = 'multipart/form-data; boundary=b') =>
      world.send('/v1/files', { method: 'POST', headers: { 'x-gw-provider': '@cohere', 'content-type': type }, body });
    const part = (head: string, value: string) => `--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const file = part('name="file"; filename="x"', row('a', 'Hi'));
    const purpose = part('name="purpose"', 'batch');
    for (const [form, param] of [
      [`${purpose}--b--\r\n`, 'file'],
      [`${file}--b--\r\n`, 'purpose'],
      [`${purpose}${file}${file}--b--\r\n`, 'file'],
    ] as const) {
      const answer = await send(form);
      expect([answer.status, answer.json()]).toMatchObject([400, { error: { param } }]);
    }
    expect((await send('x', 'text/plain')).status).toBe(400);
    expect(cohere.datasets.size).toBe(0);
  });

  test('are listed page by page, with what else the account has, and deleted', async () => {
    for (const [type, status] of [
      ['embed-input', 'validated'],
      ['embed-result', 'failed'],
      ['chat-finetune-input', 'skipped'],
      ['embed-input', 'processing'],
    ]) {
      const id = `d${cohere.datasets.size}`;
      cohere.datasets.set(id, {
        id,
        dataset_type: type,
        validation_status: status,
        created_at: '2026-01-02T03:04:05Z',
      });
    }
    const listed: object[] = [];
    for await (const { id, purpose, status } of client.files.list({ limit: 2 })) listed.push({ id, purpose, status });
    expect(listed).toEqual([
      { id: 'd0', purpose: 'batch', status: 'processed' },
      { id: 'd1', purpose: 'batch_output', status: 'error' },
      { id: 'd2', purpose: 'user_data', status: 'error' },
      { id: 'd3', purpose: 'batch', status: 'uploaded' },
    ]);
    await expect(client.files.list({ after: 'none' })).rejects.toMatchObject({ status: 400, param: 'after' });
    expect(await client.files.delete('d1')).toMatchObject({ id: 'd1', object: 'file', deleted: true });
    await expect(client.files.retrieve('d1')).rejects.toBeInstanceOf(NotFoundError);
  });

  test('keep to the account: an id is no path, and content is not offered', async () => {
    for (const id of ['a%2Fb', '..', 'a%3Fb']) {
      const answer = await world.send(`/v1/files/${id}`, { headers: { 'x-gw-provider': '@cohere' } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect(cohere.calls.filter(({ path }) => !/^\/v1\/(datasets|embed-jobs)/.test(path))).toEqual([]);
    await expect(client.files.content('d1')).rejects.toMatchObject({ status: 400, code: 'operation_unsupported' });
  });
});

const create = (more: object = {}, sdk = client) =>
  sdk.batches.create({
    ...{ input_file_id: 'd1', endpoint: '/v1/embeddings', completion_window: '24h' },
    ...{ model: MODEL, ...more },
  });

const lastBody = () => JSON.parse(cohere.calls.at(-1)?.body.toString() ?? '');

describe('batches', () => {
  test('are embed jobs', async () => {
    const batch = await create();
    expect(lastBody()).toEqual({
      ...{ model: MODEL, dataset_id: 'd1', input_type: 'search_document', embedding_types: ['float'] },
    });
    const facts = {
      object: 'batch',
      endpoint: '/v1/embeddings',
      status: 'in_progress',
      input_file_id: 'd1',
      model: MODEL,
    };
    expect(batch).toMatchObject({ id: 'job-1', ...facts });
    expect(batch.created_at).toBeLessThan(10_000_000_000); // seconds
    expect(await client.batches.retrieve('job-1')).toMatchObject({ id: 'job-1', ...facts, created_at: 1_767_323_045 });
  });

  test('take what embed jobs have, and name what is left out', async () => {
    const own = { input_type: 'clustering', name: 'mine', embedding_types: ['int8', 'float'] };
    const { data, response } = await create({
      ...{ model: undefined, metadata: { a: 'b' } },
      ...own,
      provider_options: { truncate: 'START', model: MODEL },
    }).withResponse();
    expect(lastBody()).toEqual({ ...own, truncate: 'START', model: MODEL, dataset_id: 'd1' });
    expect(data.model).toBe(MODEL);
    expect(response.headers.get('x-gw-dropped-params')).toBe('metadata');
  });

  test.for([
    { given: { model: undefined }, param: 'model' },
    { given: { input_file_id: '../x' }, param: 'input_file_id' },
    { given: { endpoint: '/v1/chat/completions' }, param: 'endpoint', code: 'operation_unsupported' },
    { given: { completion_window: '1h' }, param: 'completion_window' },
    { given: { embedding_types: ['int8'] }, param: 'embedding_types' },
    { given: { embedding_types: 'float' }, param: 'embedding_types' },
    { given: { input_type: 7 }, param: 'input_type' },
    { given: { name: 'x'.repeat(257) }, param: 'name' },
  ])('with $given are refused', async ({ given, param, code }) => {
    await expect(create(given)).rejects.toMatchObject({ status: 400, param, ...(code === undefined ? {} : { code }) });
    expect(cohere.jobs.size).toBe(0);
  });

  test('run listed models only at an account that admits these', async () => {
    await create({}, clientOf('@listed'));
    await expect(create({ model: 'embed-v4.0' }, clientOf('@listed'))).rejects.toMatchObject({ status: 412 });
    expect(cohere.jobs.size).toBe(1);
  });

  test.for([
    ['processing', 'in_progress'],
    ['complete', 'completed'],
    ['cancelling', 'cancelling'],
    ['cancelled', 'cancelled'],
    ['failed', 'failed'],
    ['new', 'in_progress'],
  ] as const)('have the status of the job: %s', async ([status, want]) => {
    cohere.jobs.set('j', { job_id: 'j', status, output_dataset_id: 'out' });
    expect(await client.batches.retrieve('j')).toMatchObject({ status: want, output_file_id: 'out' });
  });

  test('are listed and cancelled', async () => {
    for (let count = 0; count < 3; count += 1) await create();
    const ids: string[] = [];
    for await (const { id } of client.batches.list({ limit: 2 })) ids.push(id);
    expect(ids).toEqual(['job-1', 'job-2', 'job-3']);
    expect(await client.batches.cancel('job-2')).toMatchObject({ id: 'job-2', status: 'cancelling' });
    expect(cohere.calls.map(({ method, path }) => `${method} ${path}`)).toContain('POST /v1/embed-jobs/job-2/cancel');
    await expect(client.batches.cancel('none')).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('the output of a batch', () => {
  interface Part {
    readonly index: number;
    readonly url: string;
    readonly num_rows?: number;
  }

  function complete(parts: readonly Part[], job: object = {}): void {
    const meta = { billed_units: { input_tokens: 10 } };
    cohere.jobs.set('j', { job_id: 'j', status: 'complete', output_dataset_id: 'out', model: MODEL, meta, ...job });
    cohere.datasets.set('out', { id: 'out', dataset_type: 'embed-result', dataset_parts: parts });
  }

  const store = (name: string, rows: readonly EmbeddedRow[], codec?: string): string => {
    cohere.objects.set(name, embeddedFile(rows, codec));
    return `${cohere.url}/storage/${name}?signature=s`;
  };

  const output = () => world.send('/v1/batches/j/output', { headers: { 'x-gw-provider': '@cohere' } });
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const first = { custom_id: 'a', id: '1', text: 'Hi', vector: [0.5, -1] };

  test('is its rows, from all parts, without the credential, and its usage is that of the job', async () => {
    const later = store('2', [{ custom_id: 'c', text: 'x', vector: [3] }], 'null');
    const before = store('1', [first, { id: 'only-an-id', text: 'x', vector: [2] }]);
    complete([
      { index: 1, url: later, num_rows: 1 },
      { index: 0, url: before, num_rows: 2 },
    ]);
    const answer = await output();
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/octet-stream']);
    const body = (embedding: readonly number[], tokens: number) => ({
      ...{ object: 'list', data: [{ object: 'embedding', index: 0, embedding }], model: MODEL, provider: 'cohere' },
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    });
    const line = (id: string, customId: string, answered: object) => ({
      ...{ id, custom_id: customId, error: null },
      response: { status_code: 200, request_id: null, body: answered },
    });
    expect(lines(answer.text)).toEqual([
      line('j-1', 'a', body([0.5, -1], 3)),
      line('j-2', 'only-an-id', body([2], 3)),
      line('j-3', 'c', body([3], 4)),
    ]);
    const storage = cohere.calls.filter(({ path }) => path.startsWith('/storage/'));
    expect(storage.slice(-2).map(({ path, query, authorization }) => [path, query, authorization])).toEqual([
      ['/storage/1', 'signature=s', undefined],
      ['/storage/2', 'signature=s', undefined],
    ]);
    const counted = () => records.find(({ request }) => request.operation === 'getBatchOutput')?.answeredBy?.usage;
    await waitFor(() => counted() !== undefined, { what: 'the record' });
    expect(counted()).toMatchObject({ total: 10 });
    await expectNothingLeft(world);
  });

  test('has no usage where the job does not say it, and all of it in the first row where rows are not counted', async () => {
    const url = store('1', [first, { ...first, custom_id: 'b' }]);
    complete([{ index: 0, url }]);
    const usages = async () => lines((await output()).text).map(({ response }) => response.body.usage?.total_tokens);
    expect(await usages()).toEqual([10, 0]);
    complete([{ index: 0, url }], { meta: {} });
    expect(await usages()).toEqual([undefined, undefined]);
  });

  const MISSING = [400, /no output/] as const;

  test.for([
    { rule: 'is running', job: { status: 'processing' }, parts: 1, want: MISSING },
    { rule: 'is being cancelled', job: { status: 'cancelling' }, parts: 1, want: MISSING },
    { rule: 'has no dataset', job: { output_dataset_id: '' }, parts: 1, want: MISSING },
    { rule: 'has no parts', job: {}, parts: 0, want: MISSING },
    { rule: 'names a path', job: { output_dataset_id: 'a/../b' }, parts: 1, want: [502, /output_dataset_id/] },
    { rule: 'has no id', job: { job_id: 7 }, parts: 1, want: [502, /job_id/] },
  ] as const)('of one that $rule is not there', async ({ job, parts, want: [status, message] }) => {
    const all = [{ index: 0, url: store('1', [first]) }];
    complete(all.slice(0, parts), job);
    const answer = await output();
    expect([answer.status, answer.json()]).toMatchObject([
      status,
      { error: { message: expect.stringMatching(message) } },
    ]);
  });

  test.for([
    { rule: 'none', url: '', problem: /no address/ },
    { rule: 'another protocol', url: 'file:///etc/passwd', problem: /no address/ },
    { rule: 'a user', url: 'https://user:pass@storage.example/x', problem: /no address/ },
    { rule: 'a machine of the cloud', url: 'http://169.254.169.254/latest/meta-data', problem: /host/i },
    { rule: 'an object that is gone', url: '/storage/none', problem: /cannot be read \(404\)/ },
  ])('is not read at an address of $rule', async ({ url, problem }) => {
    complete([{ index: 0, url: url.startsWith('/') ? cohere.url + url : url }]);
    const answer = await output();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.json().error.message).toMatch(problem);
    expect(answer.text).not.toMatch(/meta-data|pass@/);
  });

  test('follows no redirect', async () => {
    complete([{ index: 0, url: store('1', [first]) }]);
    const location = `${cohere.url}/storage/2`;
    cohere.fault = ({ path }) => (path === '/storage/1' ? { status: 302, headers: { location }, body: {} } : undefined);
    const before = cohere.calls.length;
    const answer = await output();
    expect([answer.status, answer.json().error.message]).toEqual([502, expect.stringMatching(/\(302\)/)]);
    expect(cohere.calls.slice(before).map(({ path }) => path)).not.toContain('/storage/2');
  });

  test('breaks off where a part is damaged', async () => {
    const url = store('1', [first, first, first, first]);
    cohere.objects.set('1', (cohere.objects.get('1') ?? Buffer.alloc(0)).subarray(0, -3));
    complete([{ index: 0, url }]);
    await expect(output()).rejects.toThrow();
    await expectNothingLeft(world);
  });
});

test('an output that no client reads is counted by a gateway that keeps batches', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cohere-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own: RequestRecord[] = [];
  await using gateway = await startWorld({
    sinks: [{ name: 'test', readsUsage: true, record: (record) => void own.push(record) }],
    env: { GATEHOUSE_BATCH_DIR: folder },
    batchTiming: { lookMs: 20, firstWaitMs: 20, maxWaitMs: 50, failedWaitMs: 50, readMs: 5_000 },
    entries: () => [provider('cohere', { provider: 'cohere', customHost: cohere.url, secret: SECRET })],
  });
  const created = await gateway.send('/v1/batches', {
    method: 'POST',
    headers: { 'x-gw-provider': '@cohere' },
    body: { input_file_id: 'd1', endpoint: '/v1/embeddings', model: MODEL },
  });
  expect(created.status, created.text).toBe(200);
  const { id } = created.json();
  const url = `${cohere.url}/storage/1`;
  cohere.objects.set('1', embeddedFile([{ custom_id: 'a', text: 'x', vector: [1] }]));
  cohere.datasets.set('out', { id: 'out', dataset_parts: [{ index: 0, url, num_rows: 1 }] });
  const meta = { billed_units: { input_tokens: 7 } };
  cohere.jobs.set(id, { job_id: id, status: 'complete', output_dataset_id: 'out', model: MODEL, meta });
  const counted = () => own.find(({ answeredBy }) => answeredBy?.usage !== undefined);
  await waitFor(() => counted() !== undefined, { what: 'the rows' });
  expect(counted()).toMatchObject({
    request: { operation: 'getBatchOutput' },
    answeredBy: { usage: { total: 7 }, answeredModel: MODEL },
  });
});
