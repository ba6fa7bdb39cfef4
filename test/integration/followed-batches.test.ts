/** Batches at providers whose output the gateway reads itself: docs/behaviour/cost.md#batches-of-providers. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BudgetStore, createMemoryBudgetStore, type RequestRecord, type Sink } from '@gatehouse/gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway, startMock } from '../kit/gateway.ts';
import { send } from '../kit/http.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { config, KEY, key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const MODEL = 'gpt-4o';
const LARGE = 1_000_000;
const OTHER = 'gwk_that_reads_what_others_made_0001';
const SOON = { lookMs: 20, firstWaitMs: 20, maxWaitMs: 50, failedWaitMs: 50, readMs: 1_000 } as const;
const IDLE = { GATEHOUSE_BATCH_ROWS_PER_PROCESS: '0' };

let folder: string;
let mock: Awaited<ReturnType<typeof startMock>>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-followed-'));
  mock = await startMock();
});
afterEach(async () => {
  await mock.close();
  rmSync(folder, { recursive: true, force: true });
});

const tokens = { name: 'tokens', type: 'tokens', limit: LARGE } as const;
const cost = { name: 'cost', type: 'cost', limit: LARGE } as const;

const entriesOf = ({ isGone = false } = {}) => [
  [
    workspace('team-a', { usageLimits: [{ ...tokens, name: 'all-tokens' }] }),
    ...(isGone ? [] : [key({ usageLimits: [tokens, cost], metadata: { team: 'core' } })]),
    key({ name: 'other', secret: OTHER, usageLimits: [{ ...tokens, name: 'others' }] }),
    ...provider('openai', { customHost: `${mock.url}/v1`, secret: 'sk-openai-secret' }),
    ...provider('anthropic', { provider: 'anthropic', customHost: `${mock.url}/v1`, secret: 'sk-anthropic-secret' }),
    config('saved', { provider: '@openai' }),
  ],
];

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly isGone?: boolean;
  readonly entries?: ReturnType<typeof entriesOf>;
  readonly budgetStore?: BudgetStore;
}

async function start({ env = {}, isGone = false, entries = entriesOf({ isGone }), ...more }: Given = {}) {
  const records: RequestRecord[] = [];
  const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };
  const running = await startGateway({
    ...more,
    entries,
    env: { GATEHOUSE_BATCH_DIR: folder, ...env },
    sinks: [sink],
    batchTiming: SOON,
  });
  const counted = () => records.flatMap(({ answeredBy }) => (answeredBy?.usage === undefined ? [] : [answeredBy]));
  return {
    ...{ running, records, counted },
    spent: (name: string) => running.gateway.budgets.usage().find(({ budget }) => budget.name === name)?.used ?? 0,
    total: () => counted().reduce((sum, { usage }) => sum + (usage?.total ?? 0), 0),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
/** Undefined: none ever was. */
function followed(): readonly string[] | undefined {
  const path = join(folder, 'jobs', 'followed');
  return existsSync(path) ? readdirSync(path) : undefined;
}

type Started = Awaited<ReturnType<typeof start>>;

const OPENAI = { 'x-gw-provider': '@openai' };
const rows = chatRow('a', 'Hi', MODEL) + chatRow('b', 'Ho', MODEL);

async function upload({ running }: Started, content: string, headers: Readonly<Record<string, string>> = OPENAI) {
  const uploaded = await running.send('/v1/files', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=limit' },
    body: `--limit\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--limit\r\nContent-Disposition: form-data; name="file"; filename="rows.jsonl"\r\n\r\n${content}\r\n--limit--\r\n`,
  });
  expect(uploaded.status, uploaded.text).toBe(200);
  return String(uploaded.json().id);
}

async function create(started: Started, headers: Readonly<Record<string, string>> = OPENAI): Promise<string> {
  const { running } = started;
  const file = await upload(started, rows, headers);
  const created = await running.send('/v1/batches', {
    method: 'POST',
    headers: { ...headers, 'x-gw-trace-id': 'trace-of-creation' },
    body: { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  expect(created.status, created.text).toBe(200);
  return created.json().id;
}

const outputOf = async ({ running }: Started, id: string, secret = KEY) => {
  const headers = { ...OPENAI, 'x-gw-api-key': secret };
  await running.send(`/v1/batches/${id}`, { headers });
  const { status, text } = await running.send(`/v1/batches/${id}/output`, { headers });
  expect(status).toBe(200);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

const sumOf = (lines: readonly { response: { body: { usage: { total_tokens: number } } } }[]) =>
  lines.reduce((sum, { response }) => sum + response.body.usage.total_tokens, 0);

test.for([
  ['the account', OPENAI],
  ['a saved config', { 'x-gw-config': 'saved' }],
  ['a virtual key', { 'x-gw-virtual-key': 'openai' }],
] as const)(
  'an output that nobody reads is counted for the key that has created the batch, named by %s',
  async ([, headers]) => {
    await using started = await start();
    const { records, counted, spent, total } = started;
    const id = await create(started, headers);
    await waitFor(() => counted().length === 1, { what: 'the rows' });
    const record = records.find(({ answeredBy }) => answeredBy?.usage !== undefined);
    expect(record?.caller).toMatchObject({ key: 'main', workspace: 'team-a' });
    expect(record?.request).toMatchObject({
      operation: 'getBatchOutput',
      trace: { traceId: 'trace-of-creation' },
      metadata: { team: 'core' },
    });
    expect(record?.answeredBy).toMatchObject({ answeredModel: MODEL, cost: { unpriced: false }, account: 'openai' });
    await waitFor(() => spent('tokens') === total(), { what: 'the charge' });
    expect(spent('cost')).toBeGreaterThan(0);
    const lines = await outputOf(started, id, OTHER);
    expect(sumOf(lines)).toBe(total());
    await waitFor(() => records.filter(({ request }) => request.operation === 'getBatchOutput').length === 2, {
      what: 'the record of the client',
    });
    expect([counted().length, spent('others')]).toEqual([1, 0]);
  },
);

test('an output has the config of its creation, also where that has several targets and is a default', async () => {
  const targets = [{ provider: '@openai' }, { provider: '@anthropic' }];
  const [[, ...others] = []] = entriesOf();
  const spread = config('spread', { strategy: { mode: 'fallback' }, targets });
  await using started = await start({
    entries: [[workspace('team-a', { defaults: { config: 'spread' } }), spread, ...others]],
  });
  await create(started);
  await waitFor(() => started.counted().length === 1, { what: 'the rows' });
  const record = started.records.find(({ answeredBy }) => answeredBy?.usage !== undefined);
  expect(record).toMatchObject({ route: { config: 'spread' }, isOwnCall: true });
  expect(started.records.filter(({ isOwnCall }) => isOwnCall === true)).toHaveLength(1);
});

test('polls are no requests of the key, and are not recorded', async () => {
  await using started = await start();
  await create(started);
  await waitFor(() => started.counted().length === 1, { what: 'the rows' });
  await waitFor(() => started.records.length >= 3, { what: 'the records' });
  const operations = started.records.map(({ request }) => request.operation);
  expect(operations.toSorted()).toEqual(['createBatch', 'createFile', 'getBatchOutput']);
});

test('message batches are followed, too', async () => {
  await using started = await start();
  const requests = [JSON.parse(chatRow('a', 'Hi', 'claude-sonnet-4-5'))];
  const headers = { 'x-gw-provider': '@anthropic' };
  const created = await started.running.send('/v1/batches', { method: 'POST', headers, body: { requests } });
  expect(created.status).toBe(200);
  await waitFor(() => started.counted().length === 1, { what: 'the rows' });
  expect(started.counted()[0]?.cost?.nanoDollars).toBeGreaterThan(0);
});

test('what a client has read first is not counted again, also after a restart', async () => {
  let total = 0;
  {
    await using idle = await start({ env: IDLE });
    const id = await create(idle);
    total = sumOf(await outputOf(idle, id));
    await waitFor(() => idle.spent('tokens') === total, { what: 'the charge' });
    expect(idle.total()).toBe(total);
    await outputOf(idle, id);
    expect(idle.total()).toBe(total);
  }
  await using started = await start();
  await waitFor(() => started.records.length === 1, { what: 'the reading of the gateway' });
  expect(started.records[0]?.request.operation).toBe('getBatchOutput');
  expect([started.counted(), started.spent('tokens')]).toEqual([[], 0]);
});

test('work that was done is charged to the workspace where the key is gone meanwhile', async () => {
  {
    await using idle = await start({ env: IDLE });
    await create(idle);
  }
  await using started = await start({ isGone: true });
  await waitFor(() => started.counted().length === 1, { what: 'the rows' });
  expect(started.records.at(-1)?.caller).toMatchObject({ key: 'main', workspace: 'team-a' });
  await waitFor(() => started.spent('all-tokens') === started.total(), { what: 'the charge' });
});

test('one that cannot go on is named in the log as the provider names it', async () => {
  const budgetStore: BudgetStore = { sync: () => Promise.reject(new Error('away')), close: async () => undefined };
  await using started = await start({ budgetStore });
  const id = await create(started);
  const failures = () => started.running.logs.filter(({ msg }) => String(msg).includes('is tried again'));
  await waitFor(() => failures().length > 0, { what: 'a line' });
  expect(failures()[0]).toMatchObject({ batch: id, workspace: 'team-a' });
});

test('the record comes with the charge, once, however often the counters could not be told', async () => {
  const store = createMemoryBudgetStore();
  let isAway = true;
  const budgetStore: BudgetStore = {
    sync: async (requests) =>
      isAway && requests.some(({ holder }) => holder.startsWith('batch-'))
        ? requests.map(() => ({ status: 'failed', isApplied: undefined }) as const)
        : await store.sync(requests),
    close: () => store.close(),
  };
  await using started = await start({ budgetStore });
  await create(started);
  const failures = () => started.running.logs.filter(({ msg }) => String(msg).includes('is tried again'));
  await waitFor(() => failures().length >= 2, { what: 'two tries' });
  expect(started.counted()).toEqual([]);
  isAway = false;
  await waitFor(() => followed()?.length === 0, { what: 'the end' });
  expect(started.counted()).toHaveLength(1);
  const record = started.records.find(({ answeredBy }) => answeredBy?.usage !== undefined);
  expect(record?.once).toMatchObject({ name: expect.stringMatching(/^batch-[0-9a-f]{64}$/) });
  await waitFor(() => started.spent('tokens') === started.total(), { what: 'the charge' });
});

test('batches with a credential of the call are counted when their output is read', async () => {
  await using started = await start();
  const headers = { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${mock.url}/v1`, authorization: 'Bearer sk-own' };
  const id = await create(started, headers);
  const { status } = await started.running.send(`/v1/batches/${id}`, { headers });
  expect(status).toBe(200);
  const { text } = await started.running.send(`/v1/batches/${id}/output`, { headers });
  await waitFor(() => started.counted().length === 1, { what: 'the rows' });
  expect(started.total()).toBe(
    sumOf(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ),
  );
});

test('a file that a client has made of the first row of an output counts no rows of the output', async () => {
  {
    await using idle = await start({ env: IDLE });
    const id = await create(idle);
    const ofProvider = { headers: { authorization: 'Bearer sk-openai-secret' } };
    await send(`${mock.url}/v1/batches/${id}`, ofProvider);
    const { output_file_id: output } = (await send(`${mock.url}/v1/batches/${id}`, ofProvider)).json();
    const { text } = await send(`${mock.url}/v1/files/${output}/content`, ofProvider);
    const [first = ''] = text.split('\n');
    const made = JSON.stringify({ ...JSON.parse(first), response: null });
    const file = await upload(idle, `${made}\n`.repeat(10));
    const { status } = await idle.running.send(`/v1/files/${file}/content`, { headers: OPENAI });
    expect(status).toBe(200);
  }
  await using started = await start();
  await waitFor(() => started.records.length === 1, { what: 'the reading of the gateway' });
  expect(started.counted().length).toBe(1);
  await waitFor(() => started.spent('tokens') === started.total(), { what: 'the charge' });
});

test.for([
  ['a header', { ...OPENAI, 'x-gw-custom-host': 'HOST' }],
  ['a config of the call', { 'x-gw-config': '{"provider":"@openai","custom_host":"HOST"}' }],
] as const)('batches at a host that %s names are not followed', async ([, given]) => {
  await using started = await start({ env: { ...IDLE, TRUSTED_CUSTOM_HOSTS: new URL(mock.url).hostname } });
  const other = Object.entries(given).map(([name, value]) => [name, value.replace('HOST', `${mock.url}/v1`)]);
  await create(started, Object.fromEntries(other));
  expect(followed()).toBeUndefined();
});

/** A provider whose every batch is the same one, which has ended; `read` is told of each reading of its row. */
async function oneBatch(read: (response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith('/content') !== true) {
      response.end(JSON.stringify({ id: 'b', status: 'completed', output_file_id: 'f' }));
      return;
    }
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
    const body = { model: MODEL, usage };
    const row = { id: 'r', custom_id: 'a', response: { status_code: 200, body }, error: null };
    response.write(`${JSON.stringify(row)}\n`);
    read(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const customHost = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const body = { input_file_id: 'f', endpoint: '/v1/chat/completions', completion_window: '24h' };
  return {
    entries: [[workspace('team-a'), key(), ...provider('openai', { customHost, secret: 'sk-openai-secret' })]],
    create: async ({ running }: Started) => {
      expect((await running.send('/v1/batches', { method: 'POST', headers: OPENAI, body })).status).toBe(200);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('an output that a provider draws out is given up after a while, and read again later', async () => {
  let reads = 0;
  await using slow = await oneBatch((response) => {
    reads += 1;
    if (reads > 1) response.end();
  });
  await using started = await start({ entries: slow.entries });
  await slow.create(started);
  await waitFor(() => started.counted().length === 1, { what: 'the rows' });
  expect([reads, started.total()]).toEqual([2, 6]);
});

test('a batch that has ended is not followed again when a call creates the same once more', async () => {
  await using served = await oneBatch((response) => void response.end());
  {
    await using started = await start({ entries: served.entries });
    await served.create(started);
    await waitFor(() => started.counted().length === 1 && followed()?.length === 0, { what: 'the end' });
  }
  await using idle = await start({ entries: served.entries, env: IDLE });
  await served.create(idle);
  expect(followed()).toEqual([]);
});

test('credentials that a client repeats in metadata and trace are not kept', async () => {
  const secret = 'canary-of-the-caller-0123456789';
  await using started = await start();
  const told = { 'x-gw-metadata': JSON.stringify({ note: `it is ${secret}`, team: 'web' }), 'x-gw-trace-id': secret };
  await started.running.send('/v1/batches', {
    method: 'POST',
    headers: { ...OPENAI, ...told, 'x-auth-token': secret },
    body: { input_file_id: await upload(started, rows), endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  await waitFor(() => started.counted().length === 1, { what: 'the rows' });
  const record = started.records.find(({ answeredBy }) => answeredBy?.usage !== undefined);
  expect(record?.request.metadata).toEqual({ note: 'it is [redacted]', team: 'core' });
  expect(record?.request.trace.traceId).toBe('[redacted]');
});
