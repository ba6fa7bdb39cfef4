/** Message batches of Anthropic's own API: docs/behaviour/files-and-batches.md#message-batches. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic, { BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { KEY, key, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const MODEL = 'claude-sonnet-4-5';
const OTHER = 'claude-haiku-4-5';
const SOON = { lookMs: 20, firstWaitMs: 20, maxWaitMs: 50, failedWaitMs: 50, readMs: 1_000 } as const;

let world: World;
let records: RequestRecord[];

const start = async (more: Partial<Parameters<typeof startWorld>[0]> = {}) => {
  records = [];
  const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      key({ usageLimits: [{ name: 'tokens', type: 'tokens', limit: 1_000_000 }] }),
      provider('listed', { provider: 'anthropic', customHost: `${url}/v1`, models: [MODEL, OTHER] }),
    ],
    ...more,
  });
};

const clientOf = (name: string): Anthropic =>
  new Anthropic({ baseURL: world.url, apiKey: KEY, defaultHeaders: { 'x-gw-provider': name }, maxRetries: 0 });

const rowOf = (custom_id: string, model = MODEL) => ({
  custom_id,
  params: { model, max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] },
});

const recordsOf = async (operation: string, count: number) => {
  const found = () => records.filter(({ request }) => request.operation === operation);
  await waitFor(() => found().length === count, { what: `${count} records of ${operation}` });
  return found().map(({ answeredBy }) => answeredBy);
};
const spent = () => world.gateway.budgets.usage().find(({ budget }) => budget.name === 'tokens')?.used ?? 0;

/** The rows as the SDK reads them. */
async function resultsOf(sdk: Anthropic, id: string) {
  const rows: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const row of await sdk.messages.batches.results(id)) rows.push(row);
  return rows;
}

const totalOf = (rows: Awaited<ReturnType<typeof resultsOf>>): number =>
  rows.reduce((sum, { result }) => {
    if (result.type !== 'succeeded') return sum;
    return sum + result.message.usage.input_tokens + result.message.usage.output_tokens;
  }, 0);

describe('the SDK of Anthropic', () => {
  beforeEach(() => start());
  afterEach(() => world[Symbol.asyncDispose]());

  test('creates, lists, reads, cancels and deletes batches, with the bytes of the client', async () => {
    const sdk = clientOf('@anthropic');
    const created = await sdk.messages.batches.create({ requests: [rowOf('a')] });
    expect(created).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
    expect(lastRequest(world.mock).body.toString()).toBe(JSON.stringify({ requests: [rowOf('a')] }));
    expect(await sdk.messages.batches.cancel(created.id)).toMatchObject({ processing_status: 'canceling' });
    expect(await sdk.messages.batches.retrieve(created.id)).toMatchObject({
      processing_status: 'ended',
      results_url: `/v1/messages/batches/${created.id}/results`,
    });
    expect(await resultsOf(sdk, created.id)).toMatchObject([{ custom_id: 'a', result: { type: 'canceled' } }]);
    const other = await sdk.messages.batches.create({ requests: [rowOf('b')] });
    const page = await sdk.messages.batches.list({ limit: 1 });
    expect(page).toMatchObject({ data: [{ id: other.id }], has_more: true });
    expect((await page.getNextPage()).data.map(({ id }) => id)).toEqual([created.id]);
    expect(await sdk.messages.batches.delete(created.id)).toEqual({ id: created.id, type: 'message_batch_deleted' });
    const gone = sdk.messages.batches.retrieve(created.id);
    await expect(gone).rejects.toBeInstanceOf(NotFoundError);
    await expect(gone).rejects.toMatchObject({ error: { type: 'error', error: { type: 'not_found_error' } } });
    const operations = new Set(records.map(({ request }) => request.operation));
    expect(operations).not.toContain('proxy');
  });

  test('reads results whose rows are counted once, also by the output in the format of OpenAI', async () => {
    const sdk = clientOf('@anthropic');
    const { id } = await sdk.messages.batches.create({ requests: [rowOf('a'), rowOf('b', OTHER)] });
    const rows = await resultsOf(sdk, id);
    expect(rows).toMatchObject([
      { custom_id: 'a', result: { type: 'succeeded', message: { type: 'message', model: MODEL } } },
      { custom_id: 'b', result: { type: 'succeeded', message: { model: OTHER } } },
    ]);
    const [first] = await recordsOf('getMessageBatchResults', 1);
    expect(first).toMatchObject({ usage: { total: totalOf(rows) }, cost: { unpriced: false, estimated: false } });
    expect(first?.cost?.nanoDollars).toBeGreaterThan(0);
    expect(first?.shares?.map(({ model }) => model)).toEqual([MODEL, OTHER]);
    await waitFor(() => spent() === totalOf(rows), { what: 'the charge' });
    expect((await recordsOf('createMessageBatch', 1))[0]?.usage).toBeUndefined();

    await resultsOf(sdk, id);
    expect((await recordsOf('getMessageBatchResults', 2))[1]).toMatchObject({ usage: undefined, cost: undefined });
    const output = await world.send(`/v1/batches/${id}/output`, { headers: { 'x-gw-provider': '@anthropic' } });
    expect(output.text.trim().split('\n')).toHaveLength(2);
    expect((await recordsOf('getBatchOutput', 1))[0]).toMatchObject({ usage: undefined, cost: undefined });
    expect(spent()).toBe(totalOf(rows));
  });

  test('reads nothing again that was charged as the output in the format of OpenAI', async () => {
    const sdk = clientOf('@anthropic');
    const { id } = await sdk.messages.batches.create({ requests: [rowOf('a')] });
    await sdk.messages.batches.retrieve(id);
    await world.send(`/v1/batches/${id}/output`, { headers: { 'x-gw-provider': '@anthropic' } });
    expect((await recordsOf('getBatchOutput', 1))[0]?.usage?.total).toBeGreaterThan(0);
    await resultsOf(sdk, id);
    expect((await recordsOf('getMessageBatchResults', 1))[0]).toMatchObject({ usage: undefined, cost: undefined });
  });

  test.for([
    '/v1/messages/batches/msgbatch_1%2Fresults',
    '/v1/messages/batches/msgbatch_1%252Fresults',
    '/v1/messages/batches/msgbatch_1%3Fa=b',
    '/v1/messages/batches/msgbatch_1%23/results',
    '/v1/messages/batches/msgbatch_1%5Cresults',
    '/v1/batches/msgbatch_1%2Fresults',
    '/v1/batches/msgbatch_1%2Fresults/output',
  ])('reaches nothing below a batch by its id: %s', async (path) => {
    const before = world.mock.requests.length;
    const { status, text } = await world.send(path, { headers: { 'x-gw-provider': '@anthropic' } });
    expect([status, text]).toEqual([400, expect.stringContaining('batch_id')]);
    expect(world.mock.requests.length).toBe(before);
  });

  test('reads that another provider has none', async () => {
    const sdk = clientOf('@openai');
    const refused = sdk.messages.batches.create({ requests: [rowOf('a')] });
    await expect(refused).rejects.toBeInstanceOf(BadRequestError);
    await expect(refused).rejects.toMatchObject({ error: { error: { code: 'operation_unsupported' } } });
    await expect(sdk.messages.batches.list()).rejects.toMatchObject({
      error: { error: { code: 'operation_unsupported' } },
    });
    expect(world.mock.requests).toEqual([]);
  });

  test('creates batches of listed models alone at an account that has a list', async () => {
    const { batches } = clientOf('@listed').messages;
    expect(await batches.create({ requests: [rowOf('a'), rowOf('b', OTHER)] })).toMatchObject({
      processing_status: 'in_progress',
    });
    const before = world.mock.requests.length;
    for (const bad of [
      rowOf('b', 'claude-opus-4-1'),
      { custom_id: 'b', params: { max_tokens: 9 } },
      { ...rowOf('b'), model: OTHER },
      { ...rowOf('b'), params: { ...rowOf('b').params, fallback_model: OTHER } },
    ]) {
      const body = { requests: [rowOf('a'), bad] };
      const refused = await world.send('/v1/messages/batches', { headers: { 'x-gw-provider': '@listed' }, body });
      expect([refused.status, refused.json()]).toMatchObject([
        412,
        { type: 'error', error: { type: expect.any(String) } },
      ]);
      expect(refused.text).toContain('row 2');
    }
    for (const [status, body] of [
      [412, { requests: [rowOf('a')], input_file_id: 'f' }],
      [400, { requests: [rowOf('a'), 'b'] }],
      [400, {}],
    ] as const) {
      const refused = await world.send('/v1/messages/batches', { headers: { 'x-gw-provider': '@listed' }, body });
      expect(refused.status, refused.text).toBe(status);
    }
    expect(world.mock.requests).toHaveLength(before);
  });
});

test('a batch that is created so is followed: the gateway counts results that nobody reads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-message-batches-'));
  try {
    await start({ env: { GATEHOUSE_BATCH_DIR: folder }, batchTiming: SOON });
    await clientOf('@anthropic').messages.batches.create({ requests: [rowOf('a')] });
    const counted = () => records.find(({ answeredBy }) => answeredBy?.usage !== undefined);
    await waitFor(() => counted() !== undefined, { what: 'the rows' });
    expect(counted()).toMatchObject({ isOwnCall: true, request: { operation: 'getBatchOutput' } });
    await waitFor(() => spent() === counted()?.answeredBy?.usage?.total, { what: 'the charge' });
  } finally {
    await world[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
});
