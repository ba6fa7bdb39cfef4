/** Datasets and embed jobs of Cohere by the SDK of OpenAI: docs/behaviour/files-and-batches.md#cohere. */
import OpenAI, { NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FakeCohere, startCohere } from '../kit/cohere.ts';
import { expectNothingLeft, startWorld, type World } from '../kit/gateway.ts';
import { KEY, provider } from '../kit/snapshot.ts';

const SECRET = 'co-secret-0123456789';
const MODEL = 'embed-english-v3.0';

let cohere: FakeCohere;
let world: World;
let client: OpenAI;
/** Calls to the vendor before the test. */
let earlier = 0;

beforeAll(async () => {
  cohere = await startCohere();
  const account = { provider: 'cohere', customHost: cohere.url, secret: SECRET };
  world = await startWorld({
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
  earlier = cohere.calls.length;
  for (const kept of [cohere.datasets, cohere.jobs, cohere.objects]) kept.clear();
});

const clientOf = (name: string): OpenAI =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, defaultHeaders: { 'x-gw-provider': name }, maxRetries: 0 });

const callsOfTest = () => cohere.calls.slice(earlier);

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
    {
      rule: 'another endpoint',
      bad: row('b', 'x', { url: '/v1/chat/completions' }),
      problem: /line 2: url must be \/v1\/embeddings/,
    },
    { rule: 'several texts', bad: row('b', ['x', 'y']), problem: /line 2: input must be one text/ },
    { rule: 'tokens', bad: row('b', [1, 2]), problem: /line 2: input must be one text/ },
    { rule: 'lists of tokens', bad: row('b', [[1, 2]]), problem: /line 2: input must be one text/ },
    { rule: 'no text', bad: row('b', ''), problem: /line 2: input must be one text/ },
    { rule: 'another method', bad: row('b', 'x', { method: 'GET' }), problem: /line 2: method must be POST/ },
    {
      ...{ rule: 'dimensions', problem: /line 2: dimensions is not taken/ },
      bad: row('b', 'x', { body: { input: 'x', dimensions: 8 } }),
    },
    {
      ...{ rule: 'a format of vectors', problem: /line 2: encoding_format must be float/ },
      bad: row('b', 'x', { body: { input: 'x', encoding_format: 'base64' } }),
    },
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
    {
      rule: 'for another purpose',
      text: row('a', 'Hi'),
      purpose: 'fine-tune',
      param: 'purpose',
      problem: /must be batch/,
    },
    { rule: 'without rows', text: '\n', purpose: 'batch', param: 'file', problem: /has no rows/ },
  ] as const)('$rule are refused', async ({ text, purpose, param, problem }) => {
    await expect(upload(text, purpose)).rejects.toMatchObject({
      ...{ status: 400, param },
      message: expect.stringMatching(problem),
    });
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
    const ids: string[] = [];
    for await (const { id } of client.files.list({ limit: 1, purpose: 'batch' })) ids.push(id);
    expect(ids).toEqual(['d0', 'd3']);
    expect((await client.files.list({ purpose: 'evals' })).data).toEqual([]);
    expect((await client.files.list({ purpose: 'batch', after: 'd0' })).data).toMatchObject([{ id: 'd3' }]);
    await expect(client.files.list({ after: 'none' })).rejects.toMatchObject({ status: 400, param: 'after' });
    expect(await client.files.delete('d1')).toMatchObject({ id: 'd1', object: 'file', deleted: true });
    await expect(client.files.retrieve('d1')).rejects.toBeInstanceOf(NotFoundError);
  });

  test('of a purpose fill pages, however far they are apart', async () => {
    for (let at = 0; at < 205; at += 1) {
      const id = `d${at}`;
      cohere.datasets.set(id, { id, dataset_type: at % 100 === 99 ? 'embed-result' : 'embed-input' });
    }
    const list = (more: object) =>
      client.get<{ readonly last_id: string }>('/files', { query: { purpose: 'batch_output', limit: 2, ...more } });
    const page = await list({});
    expect(page).toMatchObject({ data: [{ id: 'd99' }, { id: 'd199' }], has_more: true });
    expect(await list({ after: page.last_id })).toMatchObject({ data: [], has_more: false });
    const asked = callsOfTest().map(({ query }) => Object.fromEntries(new URLSearchParams(query)));
    expect(asked).toEqual(['0', '100', '200'].map((offset) => ({ limit: '100', offset })));
    expect((await client.files.list()).data).toHaveLength(20);
    expect((await client.files.list({ limit: 1_000 })).data).toHaveLength(100);
  });

  test('keep to the account: an id is no path, and content is not offered', async () => {
    const ids = ['a%2Fb', '..', '%2E%2E', 'a%3Fb'];
    const answers = ids.map((id) => world.send(`/v1/files/${id}`, { headers: { 'x-gw-provider': '@cohere' } }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(callsOfTest()).toEqual([]);
    const refused = client.files.content('d1');
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'operation_unsupported' });
    await expect(refused).rejects.not.toThrow(/offers it/);
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
    { given: { model: undefined }, param: 'model', rule: 'is missing: all rows run the model of the batch' },
    { given: { model: null }, param: 'model', rule: 'is missing: all rows run the model of the batch' },
    { given: { input_file_id: '../x' }, param: 'input_file_id', rule: 'must be an id' },
    { given: { endpoint: '/v1/chat/completions' }, param: 'endpoint', rule: 'must be /v1/embeddings' },
    { given: { completion_window: '1h' }, param: 'completion_window', rule: 'must be 24h' },
    { given: { embedding_types: ['int8'] }, param: 'embedding_types', rule: 'must be a list' },
    { given: { embedding_types: 'float' }, param: 'embedding_types', rule: 'must be a list' },
    { given: { input_type: 7 }, param: 'input_type', rule: 'must be a text' },
    { given: { name: 'x'.repeat(257) }, param: 'name', rule: 'must be a text' },
  ])('with $given are refused', async ({ given, param, rule }) => {
    await expect(create(given)).rejects.toMatchObject({
      ...{ status: 400, param, code: param === 'endpoint' ? 'operation_unsupported' : 'parameter_invalid' },
      message: expect.stringContaining(`${param} ${rule}`),
    });
    expect(cohere.jobs.size).toBe(0);
  });

  test('take null for a member that is not there', async () => {
    const nothing = { name: null, embedding_types: null, completion_window: null, truncate: null, input_type: null };
    await create({ ...nothing, provider_options: null });
    const defaults = { input_type: 'search_document', embedding_types: ['float'] };
    expect(lastBody()).toEqual({ model: MODEL, dataset_id: 'd1', ...defaults });
    await create({ ...nothing, provider_options: { name: 'mine', truncate: null } });
    expect(lastBody()).toEqual({ model: MODEL, dataset_id: 'd1', ...defaults, name: 'mine' });
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
    expect(callsOfTest().map(({ method, path }) => `${method} ${path}`)).toContain('POST /v1/embed-jobs/job-2/cancel');
    await expect(client.batches.cancel('none')).rejects.toBeInstanceOf(NotFoundError);
  });
});
