/** Batches of the gateway's own that a provider runs: docs/behaviour/managed-batches.md#batches-of-a-provider. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { expect, test } from 'vitest';
import { type BatchVendor, startBatchVendor } from '../kit/batch-vendor.ts';
import { startWorld, type World, type WorldOptions } from '../kit/gateway.ts';
import { type BatchShape, chatRow, type Managed, managedBy } from '../kit/managed-batches.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { config, key, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const LARGE = 1_000_000_000_000;
const SOON = {
  ...{ lookMs: 20, firstWaitMs: 20, maxWaitMs: 50, failedWaitMs: 50 },
  ...{ pollMs: 20, maxPollMs: 50, settleMs: 200, renewMs: 100, leaseMs: 1_000 },
} as const;

interface Running extends AsyncDisposable {
  readonly world: World;
  readonly managed: Managed;
  readonly records: readonly RequestRecord[];
  details(id: string): Promise<BatchShape & { readonly provider_details: Readonly<Record<string, unknown>> }>;
}

async function start(options: WorldOptions = {}): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-at-providers-'));
  const records: RequestRecord[] = [];
  const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };
  const env = { GATEHOUSE_BATCH_DIR: folder, ...options.env };
  const world = await startWorld({ ...options, env, sinks: [sink], batchTiming: SOON });
  return {
    ...{ world, records, managed: managedBy(world) },
    details: async (id) => (await world.send(`/v1/batches/${id}?include_provider_details=true`)).json(),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const OPENAI = { 'x-gw-provider': '@openai' };
const ANTHROPIC = { 'x-gw-provider': '@anthropic' };
const LONG_ID = `${'ü"'.repeat(20)} end`;
const pathsOf = ({ mock }: World) => mock.requests.map(({ method, path }) => `${method} ${path}`);
const calledOnce = (world: World, call: string) => pathsOf(world).filter((each) => each === call).length;

test.for([
  { provider: 'openai', headers: OPENAI, model: 'gpt-4o', create: 'POST /v1/batches' },
  { provider: 'anthropic', headers: ANTHROPIC, model: 'claude-sonnet-4-5', create: 'POST /v1/messages/batches' },
])(
  'rows with one account run in one batch of $provider, at its price',
  async ({ provider: vendor, headers, model, create }) => {
    const tokens = { name: 'tokens', type: 'tokens', limit: LARGE } as const;
    const cost = { name: 'cost', type: 'cost', limit: LARGE } as const;
    await using running = await start({
      entries: () => [key({ usageLimits: [tokens, cost], metadata: { team: 'core' } })],
    });
    const { managed, world, records } = running;
    const rows = chatRow(LONG_ID, 'first', model) + chatRow('b', 'second', `@${vendor}/${model}`);
    const batch = await managed.run(rows, headers);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 2, failed: 0 } });
    const lines = await managed.lines(batch.output_file_id);
    expect(lines.map((line) => line['custom_id']).toSorted()).toEqual([LONG_ID, 'b'].toSorted());
    for (const line of lines)
      expect(line).toMatchObject({ response: { status_code: 200, body: { model } }, error: null });
    expect(calledOnce(world, create)).toBe(1);
    expect(pathsOf(world).filter((path) => /chat\/completions|messages$/.test(path))).toEqual([]);
    const shown = await running.details(batch.id);
    expect(shown.provider_details).toMatchObject({
      ...{
        run_by: 'provider',
        provider: vendor,
        account: `@${vendor}`,
        batch_id: expect.any(String),
        status: 'completed',
      },
      request_counts: { total: 2, completed: 2, failed: 0 },
    });
    expect(JSON.stringify(shown)).not.toMatch(/sk-|127\.0\.0\.1/);
    expect((await managed.read(batch.id)) as object).not.toHaveProperty('provider_details');
    const counted = () => records.filter(({ answeredBy }) => answeredBy?.usage !== undefined);
    await waitFor(() => counted().length === 1, { what: 'the rows' });
    const [record] = counted();
    expect(record?.request).toMatchObject({
      operation: 'getBatchOutput',
      metadata: { team: 'core', batch_id: batch.id },
    });
    expect(record?.answeredBy).toMatchObject({ account: vendor, cost: { unpriced: false } });
    const immediate = await managed.create({
      ...{ input_file_id: (await managed.upload(rows)).id, completion_window: 'immediate', gw_options: headers },
    });
    await managed.ended(immediate.id);
    const own = () => records.filter(({ request }) => request.operation === 'chatComplete');
    await waitFor(() => own().length === 2, { what: 'the same rows at the usual price' });
    const usual = own().reduce((sum, { answeredBy }) => sum + (answeredBy?.cost?.nanoDollars ?? 0), 0);
    expect(record?.answeredBy?.cost?.nanoDollars).toBe(Math.ceil(usual / 2));
  },
);

const ofVendor = (vendor: BatchVendor, more: readonly AnyEntry[] = []): WorldOptions => ({
  entries: () => [...provider('openai', { customHost: vendor.url, secret: 'sk-openai-secret' }), ...more],
});
const rows = (count: number): string =>
  Array.from({ length: count }, (_, i) => chatRow(`row-${i}`, `number ${i}`)).join('');

test('parameters of a config shape the rows, which the provider gets as it takes them', async () => {
  await using vendor = await startBatchVendor();
  const saved = config('saved', { provider: '@openai', override_params: { temperature: 0.25 } });
  await using running = await start(ofVendor(vendor, [saved]));
  const { managed, details } = running;
  const file = await managed.upload(rows(3));
  const provider_options = {
    metadata: { team: 'web' },
    output_expires_after: { anchor: 'created_at', seconds: 3_600 },
  };
  const { id } = await managed.create({
    input_file_id: file.id,
    gw_options: { 'x-gw-config': 'saved' },
    provider_options,
  });
  await waitFor(() => vendor.batches.length === 1, { what: 'the batch of the vendor' });
  const [batch] = vendor.batches;
  if (batch === undefined) throw new Error('there is none');
  expect(vendor.rows(batch.input_file_id)).toMatchObject(
    [0, 1, 2].map((i) => ({
      url: '/v1/chat/completions',
      body: { model: 'gpt-4o', temperature: 0.25, messages: [{ content: `number ${i}` }] },
    })),
  );
  expect(vendor.created).toMatchObject([
    { ...provider_options, metadata: { team: 'web', 'gatehouse-batch': expect.stringMatching(/^gwb_\w{24}$/) } },
  ]);
  await waitFor(async () => (await details(id)).provider_details['status'] === 'in_progress', { what: 'its state' });
  expect((await managed.read(id)).status).toBe('in_progress');
  batch.status = 'completed';
  const ended = await managed.ended(id);
  expect(ended).toMatchObject({ status: 'completed', request_counts: { total: 3, completed: 3, failed: 0 } });
  expect(vendor.deleted).toEqual([batch.input_file_id]);
});

test('a cancelled batch is cancelled at the provider, and what ran is kept', async () => {
  await using vendor = await startBatchVendor();
  vendor.answers = (all) => all.slice(0, 2);
  await using running = await start(ofVendor(vendor));
  const { managed, world } = running;
  const { id } = await managed.create({ input_file_id: (await managed.upload(rows(5))).id, gw_options: OPENAI });
  await waitFor(() => vendor.batches.length === 1, { what: 'the batch of the vendor' });
  await world.send(`/v1/batches/${id}/cancel`, { method: 'POST' });
  const batch = await managed.ended(id);
  expect(batch).toMatchObject({ status: 'cancelled', request_counts: { total: 5, completed: 2, failed: 3 } });
  expect(vendor.calls).toContain('POST /v1/batches/batch_1/cancel');
  const bad = await managed.lines(batch.error_file_id);
  expect(bad).toMatchObject([2, 3, 4].map((i) => ({ custom_id: `row-${i}`, error: { code: 'batch_cancelled' } })));
});

test.for([
  { status: 'expired', code: 'batch_expired' },
  { status: 'completed', code: 'answer_missing' },
])('a batch that is $status with a part of its rows says $code of the others', async ({ status, code }) => {
  await using vendor = await startBatchVendor();
  vendor.answers = (all) => all.slice(1);
  await using running = await start(ofVendor(vendor));
  const { managed } = running;
  const { id } = await managed.create({ input_file_id: (await managed.upload(rows(3))).id, gw_options: OPENAI });
  const batch = await waitFor(() => vendor.batches[0], { what: 'the batch of the vendor' });
  batch.status = status;
  const ended = await managed.ended(id);
  expect(ended).toMatchObject({ status, request_counts: { total: 3, completed: 2, failed: 1 } });
  expect(await managed.lines(ended.error_file_id)).toMatchObject([
    { custom_id: 'row-0', response: null, error: { code } },
  ]);
});

test('what the provider finds wrong with a batch is told', async () => {
  await using vendor = await startBatchVendor();
  vendor.more = { status: 'failed', errors: { data: [{ code: 'token_limit_exceeded', message: 'Too much' }] } };
  await using running = await start(ofVendor(vendor));
  const batch = await running.managed.run(rows(2));
  expect(batch).toMatchObject({
    status: 'failed',
    errors: { data: [{ code: 'token_limit_exceeded', message: 'Too much' }] },
  });
});

test('an option that the provider may not get fails the batch before anything is sent', async () => {
  await using vendor = await startBatchVendor();
  await using running = await start(ofVendor(vendor));
  const { managed } = running;
  const file = await managed.upload(rows(1));
  const provider_options = { output_folder: { url: 'https://elsewhere.example' } };
  const { id } = await managed.create({ input_file_id: file.id, gw_options: OPENAI, provider_options });
  const param = 'provider_options.output_folder';
  expect(await managed.ended(id)).toMatchObject({
    status: 'failed',
    errors: { data: [{ code: 'invalid_provider_options', param }] },
  });
  expect(vendor.calls).toEqual([]);
});

test('a batch that was created and never answered for is found, and not created again', async () => {
  await using vendor = await startBatchVendor();
  vendor.creates = 'lost';
  await using running = await start(ofVendor(vendor));
  const { managed, records } = running;
  const { id } = await managed.create({ input_file_id: (await managed.upload(rows(2))).id, gw_options: OPENAI });
  const batch = await waitFor(() => vendor.batches[0], { what: 'the batch of the vendor' });
  batch.status = 'completed';
  expect(await managed.ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 2 } });
  expect(vendor.batches).toHaveLength(1);
  await waitFor(() => records.some(({ answeredBy }) => answeredBy?.usage?.total === 12), { what: 'the charge' });
});

test('rows run by themselves where the provider refuses their batch', async () => {
  await using vendor = await startBatchVendor();
  vendor.creates = 'refused';
  await using running = await start(ofVendor(vendor));
  const batch = await running.managed.run(rows(2));
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 2 } });
  const { provider_details: details } = await running.details(batch.id);
  expect(details).toEqual({ run_by: 'gateway', reason: 'the provider has refused the batch (400)' });
});

test('a budget with nothing left holds a batch back', async () => {
  await using vendor = await startBatchVendor();
  await using running = await start(
    ofVendor(vendor, [key({ rateLimits: [{ type: 'requests', unit: 'rps', value: 1 }] })]),
  );
  const { managed, world } = running;
  const file = await managed.upload(rows(2));
  const { id } = await waitFor(
    async () => {
      const body = { input_file_id: file.id, endpoint: '/v1/chat/completions', gw_options: OPENAI };
      const created = await world.send('/v1/batches', { method: 'POST', body });
      return created.status === 200 ? (created.json() as BatchShape) : undefined;
    },
    { what: 'room for the call' },
  );
  const batch = await waitFor(() => vendor.batches[0], { what: 'the batch of the vendor' });
  batch.status = 'completed';
  expect(await managed.ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 2 } });
  expect(vendor.calls.filter((call) => call === 'POST /v1/batches')).toHaveLength(1);
});

test.for([
  { reason: 'the gateway uses no batches of providers', env: { GATEHOUSE_BATCH_AT_PROVIDERS: 'false' } },
  { reason: 'the batch is immediate', body: { completion_window: 'immediate' } },
  { reason: 'the config has several targets', headers: { 'x-gw-config': 'several' } },
  {
    reason: 'the rows have several targets',
    headers: {},
    text: chatRow('a', 'x', '@openai/gpt-4o') + chatRow('b', 'x', '@other/gpt-4o'),
  },
  { reason: 'guardrails look at the rows', headers: { 'x-gw-config': 'guarded' } },
  { reason: 'a row is refused by itself (model_not_allowed)', headers: { 'x-gw-provider': '@listed' } },
])(
  'the gateway asks for rows itself where $reason',
  async ({ reason, env = {}, body = {}, headers = OPENAI, text = rows(2) }) => {
    await using vendor = await startBatchVendor();
    const target = { customHost: vendor.url, secret: 'sk-openai-secret' } as const;
    const check = { id: 'default.contains', parameters: { words: ['never-said'], operator: 'none' } };
    const more = [
      ...provider('other', { ...target, provider: 'openai' }),
      ...provider('listed', { ...target, provider: 'openai', models: ['gpt-4o-mini'] }),
      config('several', { strategy: { mode: 'fallback' }, targets: [{ provider: '@openai' }, { provider: '@other' }] }),
      config('guarded', { provider: '@openai', input_guardrails: [{ 'default.contains': check.parameters }] }),
    ];
    await using running = await start({ ...ofVendor(vendor, more), env });
    const { managed } = running;
    const file = await managed.upload(text);
    const { id } = await managed.create({ input_file_id: file.id, gw_options: headers, ...body });
    expect((await managed.ended(id)).status).toBe('completed');
    expect((await running.details(id)).provider_details).toEqual({ run_by: 'gateway', reason });
    expect(vendor.calls.filter((call) => /files|batches/.test(call))).toEqual([]);
  },
);

test('a message batch that nobody has answered for is known by its results', async () => {
  const model = 'claude-sonnet-4-5';
  const created: { custom_id: string }[][] = [];
  const ended = { type: 'message_batch', processing_status: 'ended', ended_at: new Date().toISOString() };
  const batchOf = (id: string, rowCount: number, base: string) => ({
    ...{ ...ended, id, created_at: new Date().toISOString(), results_url: `${base}/v1/messages/batches/${id}/results` },
    request_counts: { processing: 0, succeeded: rowCount, errored: 0, canceled: 0, expired: 0 },
  });
  const resultsOf = (names: readonly string[]): string =>
    names
      .map((custom_id) => {
        const usage = { input_tokens: 5, output_tokens: 1 };
        const content = [{ type: 'text', text: custom_id }];
        const message = {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model,
          content,
          stop_reason: 'end_turn',
          usage,
        };
        return JSON.stringify({ custom_id, result: { type: 'succeeded', message } });
      })
      .join('\n');
  await using upstream = await startRawUpstream(async ({ request, answer, socket }) => {
    const { method, target: path } = request;
    const json = { 'content-type': 'application/json' };
    if (method === 'POST') {
      created.push(JSON.parse((await request.body).toString()).requests);
      return void socket.destroy();
    }
    const names = (created[0] ?? []).map(({ custom_id: name }) => name);
    if (path.endsWith('/msgbatch_other/results')) return answer(200, resultsOf(['x', 'y']), json);
    if (path.endsWith('/results')) return answer(200, resultsOf(names), json);
    const [other, ours] = ['msgbatch_other', 'msgbatch_ours'].map((id) => batchOf(id, 2, upstream.url));
    if (/batches(\?|$)/.test(path)) return answer(200, JSON.stringify({ data: [other, ours], has_more: false }), json);
    return answer(200, JSON.stringify(path.includes('msgbatch_other') ? other : ours), json);
  });
  const account = provider('anthropic', {
    provider: 'anthropic',
    customHost: `${upstream.url}/v1`,
    secret: 'sk-a-secret',
  });
  await using running = await start({ entries: () => account });
  const batch = await running.managed.run(chatRow('a', 'x', model) + chatRow('b', 'y', model), ANTHROPIC);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 2, failed: 0 } });
  expect(created).toHaveLength(1);
  const lines = await running.managed.lines(batch.output_file_id);
  expect(lines.map((line) => line['custom_id'])).toEqual(['a', 'b']);
  expect((await running.details(batch.id)).provider_details['batch_id']).toBe('msgbatch_ours');
  await waitFor(() => running.records.some(({ answeredBy }) => answeredBy?.usage?.total === 12), {
    what: 'the charge',
  });
});
