/** The output of embed jobs of Cohere as rows: docs/behaviour/files-and-batches.md#cohere. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedRow, embeddedFile } from '../kit/avro.ts';
import { type FakeCohere, startCohere } from '../kit/cohere.ts';
import { expectNothingLeft, startWorld, type World } from '../kit/gateway.ts';
import { provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const SECRET = 'co-secret-0123456789';
const MODEL = 'embed-english-v3.0';

let cohere: FakeCohere;
let world: World;
let records: RequestRecord[];
/** Calls to the vendor before the test. */
let earlier = 0;
/** The job of the test: the rows of a batch are counted once. */
let job = '';
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };

beforeAll(async () => {
  cohere = await startCohere();
  records = [];
  world = await startWorld({
    sinks: [sink],
    entries: () => [provider('cohere', { provider: 'cohere', customHost: cohere.url, secret: SECRET })],
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await cohere[Symbol.asyncDispose]();
});
beforeEach(() => {
  cohere.fault = undefined;
  records.length = 0;
  earlier = cohere.calls.length;
  job = `j-${randomUUID()}`;
  for (const kept of [cohere.datasets, cohere.jobs, cohere.objects]) kept.clear();
});

const callsOfTest = () => cohere.calls.slice(earlier);

describe('the output of a batch', () => {
  interface Part {
    readonly index: number;
    readonly url: string;
    readonly num_rows?: number;
  }

  function complete(parts: readonly Part[], more: object = {}): void {
    const meta = { billed_units: { input_tokens: 10 } };
    cohere.jobs.set(job, { job_id: job, status: 'complete', output_dataset_id: 'out', model: MODEL, meta, ...more });
    cohere.datasets.set('out', { id: 'out', dataset_type: 'embed-result', dataset_parts: parts });
  }

  const store = (name: string, rows: readonly EmbeddedRow[], codec?: string): string => {
    cohere.objects.set(name, embeddedFile(rows, codec));
    return `${cohere.url}/storage/${name}?signature=s`;
  };

  const output = () => world.send(`/v1/batches/${job}/output`, { headers: { 'x-gw-provider': '@cohere' } });
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
      line(`${job}-1`, 'a', body([0.5, -1], 3)),
      line(`${job}-2`, 'only-an-id', body([2], 3)),
      line(`${job}-3`, 'c', body([3], 4)),
    ]);
    const storage = callsOfTest().filter(({ path }) => path.startsWith('/storage/'));
    expect(storage.map(({ path, query, authorization }) => [path, query, authorization])).toEqual([
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
    { rule: 'is running', more: { status: 'processing' }, parts: 1, want: MISSING },
    { rule: 'is being cancelled', more: { status: 'cancelling' }, parts: 1, want: MISSING },
    { rule: 'has no dataset', more: { output_dataset_id: '' }, parts: 1, want: MISSING },
    { rule: 'has no parts', more: {}, parts: 0, want: MISSING },
    { rule: 'names a path', more: { output_dataset_id: 'a/../b' }, parts: 1, want: [502, /output_dataset_id/] },
    { rule: 'has no id', more: { job_id: 7 }, parts: 1, want: [502, /job_id/] },
  ] as const)('of one that $rule is not there', async ({ more, parts, want: [status, message] }) => {
    const all = [{ index: 0, url: store('1', [first]) }];
    complete(all.slice(0, parts), more);
    const answer = await output();
    expect([answer.status, answer.json()]).toMatchObject([
      status,
      { error: { message: expect.stringMatching(message) } },
    ]);
  });

  test.for([
    { rule: 'no form', url: 'x', status: 502, problem: /no address/ },
    { rule: 'another protocol', url: 'file:///etc/passwd', status: 502, problem: /no address/ },
    { rule: 'a user', url: 'https://user:pass@storage.example/x', status: 502, problem: /no address/ },
    { rule: 'a machine of the cloud', url: 'http://169.254.169.254/latest/meta-data', status: 502, problem: /host/i },
    { rule: 'a private network', url: 'http://10.0.0.1/meta-data', status: 502, problem: /host/i },
    { rule: 'an object that is gone', url: '/storage/none', status: 502, problem: /cannot be read \(404\)/ },
  ])('is not read at an address of $rule', async ({ url, status, problem }) => {
    complete([{ index: 0, url: url.startsWith('/') ? cohere.url + url : url }]);
    const answer = await output();
    expect([answer.status, answer.json().error.message]).toEqual([status, expect.stringMatching(problem)]);
    expect(answer.text).not.toMatch(/meta-data|pass@/);
  });

  test('is not there while a part of its dataset has no address', async () => {
    complete([
      { index: 0, url: store('1', [first]) },
      { index: 1, url: '' },
    ]);
    const answer = await output();
    expect([answer.status, answer.json().error]).toMatchObject([
      ...[400, { code: 'batch_output_missing', message: expect.stringContaining('not ready') }],
    ]);
    expect(answer.headers['retry-after']).toBe('30');
    expect(callsOfTest().filter(({ path }) => path.startsWith('/storage/'))).toEqual([]);
  });

  test.for([
    { rule: 'of another form', change: () => Buffer.from('PK\u0003\u0004 and more'), problem: /no Avro file/ },
    { rule: 'that is cut', change: (good: Buffer) => good.subarray(0, -3), problem: /ends too early/ },
    { rule: 'of a codec that is not known', change: () => embeddedFile([first], 'snappy'), problem: /packed in a way/ },
    { rule: 'that is empty', change: () => Buffer.alloc(0), problem: /ends too early/ },
  ])('is an error where its file is one $rule', async ({ change, problem }) => {
    const url = store('1', [first]);
    cohere.objects.set('1', change(cohere.objects.get('1') ?? Buffer.alloc(0)));
    complete([{ index: 0, url }]);
    const answer = await output();
    expect([answer.status, answer.json()]).toMatchObject([
      ...[502, { error: { message: expect.stringMatching(problem) } }],
    ]);
    await expectNothingLeft(world);
  });

  test('has rows as long as those of an upload', async () => {
    const text = Array.from({ length: 100_000 }, (_, at) => at.toString(36).padEnd(42, 'x')).join('');
    const body = { input: text.slice(0, 4 * 1024 * 1024 - 200) };
    const row = JSON.stringify({ custom_id: 'a', url: '/v1/embeddings', body });
    const part = (head: string, value: string) => `--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const uploaded = await world.send('/v1/files', {
      method: 'POST',
      headers: { 'x-gw-provider': '@cohere', 'content-type': 'multipart/form-data; boundary=b' },
      body: `${part('name="purpose"', 'batch')}${part('name="file"; filename="x"', row)}--b--\r\n`,
    });
    expect(uploaded.status, uploaded.text).toBe(200);
    complete([{ index: 0, url: store('1', [{ ...first, text: body.input }]) }]);
    const answer = await output();
    expect([answer.status, lines(answer.text)]).toMatchObject([200, [{ custom_id: 'a' }]]);
  });

  test('follows no redirect', async () => {
    complete([{ index: 0, url: store('1', [first]) }]);
    const location = `${cohere.url}/storage/2`;
    cohere.fault = ({ path }) => (path === '/storage/1' ? { status: 302, headers: { location }, body: {} } : undefined);
    const answer = await output();
    expect([answer.status, answer.json().error.message]).toEqual([502, expect.stringMatching(/\(302\)/)]);
    expect(callsOfTest().map(({ path }) => path)).not.toContain('/storage/2');
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
