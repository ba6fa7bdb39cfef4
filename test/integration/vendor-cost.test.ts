/** Cost of the rows of batches of providers: docs/behaviour/cost.md#batches-of-providers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startGateway, startWorld, type World } from '../kit/gateway.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { KEY, key, policy, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const MODEL = 'gpt-4o';
const LARGE = 1_000_000;

let world: World;
let records: RequestRecord[];
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };

beforeEach(async () => {
  records = [];
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      key({
        usageLimits: [
          { name: 'tokens', type: 'tokens', limit: LARGE },
          { name: 'calls', type: 'requests', limit: LARGE },
        ],
      }),
      provider('groq', { provider: 'groq', customHost: `${url}/v1` }),
      provider('limited', {
        customHost: `${url}/v1`,
        rateLimits: [{ type: 'tokens', unit: 'rpd', value: 5 }],
      }),
      policy('UsageLimitPolicy:all', {
        conditions: [{ key: 'api_key', values: ['*'] }],
        groupBy: [{ key: 'api_key' }],
        usage: { name: 'all', type: 'tokens', limit: LARGE },
      }),
    ],
  });
});
afterEach(() => world[Symbol.asyncDispose]());

const clientOf = (name: string): OpenAI =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, defaultHeaders: { 'x-gw-provider': name }, maxRetries: 0 });

/** A batch of two rows that has ended. */
const run = async (sdk: OpenAI, rows = chatRow('a', 'Hi', MODEL) + chatRow('b', 'Ho', MODEL)) => {
  const file = await sdk.files.create({ file: await toFile(Buffer.from(rows), 'rows.jsonl'), purpose: 'batch' });
  const body = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
  return await sdk.batches.retrieve((await sdk.batches.create(body)).id);
};

const outputOf = async (name: string, batch: string) => {
  const { status, text } = await world.send(`/v1/batches/${batch}/output`, { headers: { 'x-gw-provider': name } });
  expect(status).toBe(200);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

const recordsOf = async (operation: string, count: number) => {
  const found = () => records.filter(({ request }) => request.operation === operation);
  await waitFor(() => found().length === count, { what: `${count} records of ${operation}` });
  return found().map(({ answeredBy }) => answeredBy);
};

const spent = (name: string) => world.gateway.budgets.usage().find(({ budget }) => budget.id.endsWith(name))?.used;

describe('rows of a batch', () => {
  test('are counted once, at half the price, by whatever call reads them first', async () => {
    const sdk = clientOf('@openai');
    const batch = await run(sdk);
    const rows = await outputOf('@openai', batch.id);
    const total = rows.reduce((sum, { response }) => sum + response.body.usage.total_tokens, 0);
    const [first] = await recordsOf('getBatchOutput', 1);
    expect(first).toMatchObject({
      answeredModel: MODEL,
      usage: { total },
      cost: { unpriced: false, estimated: false },
    });
    const live = rows.reduce((sum, { response }) => {
      const { prompt_tokens: input, completion_tokens: output } = response.body.usage;
      return sum + input * 2_500 + output * 10_000; // nano-dollars
    }, 0);
    expect(first?.cost?.nanoDollars).toBe(live / 2);
    await outputOf('@openai', batch.id);
    await (await sdk.files.content(batch.output_file_id ?? '')).text();
    expect((await recordsOf('getBatchOutput', 2))[1]).toMatchObject({ usage: undefined, cost: undefined });
    expect((await recordsOf('getFileContent', 1))[0]).toMatchObject({ usage: undefined, cost: undefined });
  });

  test('are counted where the content of the file is read, which passes byte by byte', async () => {
    const sdk = clientOf('@groq');
    const batch = await run(sdk);
    const text = await (await sdk.files.content(batch.output_file_id ?? '')).text();
    expect(text.trim().split('\n')).toHaveLength(2);
    expect((await recordsOf('getFileContent', 1))[0]?.usage?.total).toBeGreaterThan(0);
    expect(await outputOf('@groq', batch.id)).toHaveLength(2);
    expect((await recordsOf('getBatchOutput', 1))[0]?.usage).toBeUndefined();
  });

  test('of several models have the part of each in the record, and their sum is the whole', async () => {
    const sdk = clientOf('@openai');
    const batch = await run(
      sdk,
      chatRow('a', 'Hi', MODEL) + chatRow('b', 'Ho', 'gpt-4o-mini') + chatRow('c', 'Hu', MODEL),
    );
    const rows = await outputOf('@openai', batch.id);
    const totalOf = (model: string) =>
      rows
        .filter(({ response }) => response.body.model === model)
        .reduce((sum, { response }) => sum + response.body.usage.total_tokens, 0);
    const [first] = await recordsOf('getBatchOutput', 1);
    const shares = first?.shares ?? [];
    expect(shares.map(({ model, usage }) => [model, usage.total])).toEqual([
      [MODEL, totalOf(MODEL)],
      ['gpt-4o-mini', totalOf('gpt-4o-mini')],
    ]);
    expect(shares.every(({ cost }) => cost.nanoDollars > 0 && !cost.unpriced)).toBe(true);
    expect(first?.answeredModel).toBeUndefined();
    expect(first?.cost?.nanoDollars).toBe(shares.reduce((sum, { cost }) => sum + cost.nanoDollars, 0));
    expect(first?.usage?.total).toBe(totalOf(MODEL) + totalOf('gpt-4o-mini'));
  });

  test('of message batches are counted, too', async () => {
    const requests = [JSON.parse(chatRow('a', 'Hi', 'claude-sonnet-4-5'))];
    const headers = { 'x-gw-provider': '@anthropic' };
    const { id } = (await world.send('/v1/batches', { method: 'POST', headers, body: { requests } })).json();
    await world.send(`/v1/batches/${id}`, { headers });
    await outputOf('@anthropic', id);
    const [first] = await recordsOf('getBatchOutput', 1);
    expect(first?.usage?.total).toBeGreaterThan(0);
    expect(first?.cost?.nanoDollars).toBeGreaterThan(0);
  });

  test('are charged to budgets of tokens, of keys and of policies, and are no request', async () => {
    const sdk = clientOf('@openai');
    const batch = await run(sdk);
    const calls = spent('calls');
    await outputOf('@openai', batch.id);
    const [first] = await recordsOf('getBatchOutput', 1);
    await waitFor(() => spent('tokens') === first?.usage?.total, { what: 'the charge' });
    const ofPolicy = world.gateway.budgets.usage().find(({ budget }) => budget.owner.kind === 'policy');
    expect([ofPolicy?.used, spent('calls')]).toEqual([first?.usage?.total, calls]);
    await outputOf('@openai', batch.id);
    await recordsOf('getBatchOutput', 2);
    expect(spent('tokens')).toBe(first?.usage?.total);
  });

  test('do not count in rates: they ran at another time', async () => {
    const sdk = clientOf('@limited');
    const batch = await run(sdk);
    await outputOf('@limited', batch.id);
    await outputOf('@limited', batch.id);
  });

  test('are no rows in a file that was uploaded', async () => {
    const sdk = clientOf('@openai');
    const rows = chatRow('a', 'Hi', MODEL);
    const file = await sdk.files.create({ file: await toFile(Buffer.from(rows), 'rows.jsonl'), purpose: 'batch' });
    expect(await (await sdk.files.content(file.id)).text()).toBe(rows);
    expect((await recordsOf('getFileContent', 1))[0]).toMatchObject({ usage: undefined, cost: undefined });
  });
});

test.for(['/v1/files/f/content', '/v1/batches/b/output'])(
  'rows are counted whatever part of %s is asked for',
  async (path) => {
    const selecting: unknown[] = [];
    await using upstream = createServer((request, response) => {
      const { range, 'if-range': ifRange, 'accept-encoding': encoding } = request.headers;
      selecting.push(range, ifRange, encoding);
      response.end(request.url?.endsWith('/content') ? '{}' : '{"id":"b","output_file_id":"f"}');
    });
    await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
    const customHost = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
    await using gateway = await startGateway({
      entries: [[workspace('team-a'), key(), ...provider('openai', { customHost, secret: 'sk-openai-secret' })]],
    });
    const asked = { range: 'bytes=1-', 'if-range': 'x', 'accept-encoding': 'gzip' };
    const headers = { 'x-gw-provider': '@openai', ...asked, 'x-gw-forward-headers': Object.keys(asked).join(', ') };
    expect((await gateway.send(path, { headers })).status).toBe(200);
    expect(selecting.filter((value) => value !== undefined)).toEqual([]);
  },
);
