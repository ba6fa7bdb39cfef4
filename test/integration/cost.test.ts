/** What answers cost: in the record, in headers, in the count of answers that a caller has, and in the public price list. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../kit/gateway.ts';
import { type Received, send } from '../kit/http.ts';
import { type RawReply, type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, key, price, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const USAGE = { prompt_tokens: 1000, completion_tokens: 200, prompt_tokens_details: { cached_tokens: 400 } };
const GEMINI = { modelVersion: 'gemini-2.5-flash', usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20 } };
const ASK = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
/** 600 × 2500 + 400 × 1250 + 200 × 10000 */
const LISTED = 4_000_000;

async function answer(reply: RawReply): Promise<void> {
  const { target, headers, body } = reply.request;
  const asked = JSON.parse((await body).toString() || '{}');
  if (target.includes('generateContent'))
    return reply.answer(200, JSON.stringify(GEMINI), { 'content-type': 'application/json' });
  if (asked.stream === true) {
    await reply.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
    await reply.chunk('data: {"choices":[{"index":0,"delta":{"content":"abcdefgh"}}]}\n\n');
    reply.socket.end(); // before the chunk that ends the body
    return;
  }
  const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
  const text = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: asked.model,
    choices,
    usage: USAGE,
  });
  const encoding = headers.get('accept-encoding');
  return reply.answer(200, text, {
    'content-type': 'application/json',
    ...(encoding && { 'x-was-asked-for': encoding }),
  });
}

let vendor: RawUpstream;
let world: RunningGateway;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };

beforeAll(async () => {
  vendor = await startRawUpstream(answer);
  world = await startGateway({
    sinks: [sink],
    entries: [
      workspace(),
      key({ config: 'c' }),
      config('c', { provider: '@vendor' }),
      price('own-model', { usdPerMillionTokens: { request: '1', response: '2' } }),
      ...provider('vendor', { customHost: `${vendor.url}/v1` }),
      ...provider('google', { provider: 'google', customHost: vendor.url }),
      ...provider('discount', {
        customHost: `${vendor.url}/v1`,
        prices: { 'gpt-4o-mini': { request: '0.1' } },
        priceMultiplier: '0.5',
      }),
    ],
  });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

async function recorded(request: () => Promise<Received>) {
  const received = await request();
  const id = received.headers['x-gw-trace-id'];
  const { answeredBy } = await waitFor(() => records.find((one) => one.request.trace.traceId === id), {
    what: 'the record',
  });
  return { received, cost: answeredBy?.cost, usage: answeredBy?.usage };
}

const chat = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  recorded(() => world.send('/v1/chat/completions', { body, headers }));

describe('the cost of an answer', () => {
  test.for([
    { rule: 'is that of the catalogue', model: 'gpt-4o', nanoDollars: LISTED, unpriced: false, source: 'catalogue' },
    {
      rule: 'is that of a ModelPricing',
      model: 'own-model',
      nanoDollars: 600 * 1000 + 200 * 2000,
      unpriced: true,
      source: 'pricing',
    },
    {
      rule: 'is multiplied by its account',
      model: '@discount/gpt-4o',
      nanoDollars: LISTED / 2,
      unpriced: false,
      source: 'catalogue',
    },
    {
      rule: 'is that of its account',
      model: '@discount/gpt-4o-mini',
      nanoDollars: 600 * 100,
      unpriced: true,
      source: 'integration',
    },
    { rule: 'is nothing without a price', model: 'unheard-of', nanoDollars: 0, unpriced: true, source: undefined },
  ])('$rule', async ({ model, nanoDollars, unpriced, source }) => {
    const { cost } = await chat({ ...ASK, model });
    expect(cost).toEqual({ nanoDollars, unpriced, estimated: false, source });
  });

  test('is in the metrics and in the log line', async () => {
    const before = await world.metric('gatehouse_cost_usd_total', { provider: 'openai', workspace: 'team-a' });
    await chat(ASK);
    const after = await world.metric('gatehouse_cost_usd_total', { provider: 'openai', workspace: 'team-a' });
    expect(after - before).toBeCloseTo(0.004, 9);
    await waitFor(() => world.logs.some(({ cost }) => JSON.stringify(cost) === '{"usd":0.004}'));
  });

  test('follows a price as soon as it is loaded', async () => {
    const entries = [workspace(), key({ config: 'c' }), config('c', { provider: '@vendor' })];
    await using other = await startGateway({
      entries: [...entries, ...provider('vendor', { customHost: `${vendor.url}/v1` })],
      sinks: [sink],
    });
    const ask = () => recorded(() => other.send('/v1/chat/completions', { body: ASK }));
    expect((await ask()).cost?.nanoDollars).toBe(LISTED);
    await other.load(
      ...entries,
      ...provider('vendor', { customHost: `${vendor.url}/v1` }),
      price('gpt-4o', { usdPerRequest: '1' }),
    );
    expect((await ask()).cost?.nanoDollars).toBe(1_000_000_000);
  });

  test('of a proxied call is read, too, and compression does not hide it', async () => {
    const headers = { 'x-gw-provider': '@vendor', 'accept-encoding': 'gzip' };
    const { received, cost } = await recorded(() => world.send('/v1/proxy/chat/completions', { body: ASK, headers }));
    expect(received.headers['x-was-asked-for']).toBeUndefined();
    expect(cost?.nanoDollars).toBe(LISTED);
  });

  test('of a proxied call in the format of its vendor is read, too', async () => {
    const headers = { 'x-gw-provider': '@google' };
    const path = '/v1/proxy/v1beta/models/gemini-2.5-flash:generateContent';
    const { usage, cost } = await recorded(() => world.send(path, { body: { contents: [] }, headers }));
    expect(usage).toMatchObject({ input: 10, output: 20 });
    expect(cost).toEqual({
      ...{ nanoDollars: 10 * 300 + 20 * 2500, unpriced: false, estimated: false, source: 'catalogue' },
    });
  });

  test('of a stream whose vendor leaves is that of what was received', async () => {
    const { cost, usage } = await chat({ ...ASK, stream: true });
    expect(usage?.output).toBeGreaterThan(0);
    expect(cost).toMatchObject({ estimated: true });
  });
});

describe('headers with tokens and cost', () => {
  const ASKED = { 'x-gw-usage-headers': 'true' };

  test('come on request', async () => {
    const { received } = await chat(ASK, ASKED);
    expect(received.headers).toMatchObject({
      'x-gw-usage-input-tokens': '1000',
      'x-gw-usage-output-tokens': '200',
      'x-gw-usage-cached-tokens': '400',
      'x-gw-cost-usd': '0.004',
    });
    expect(received.headers).not.toHaveProperty('x-gw-cost-notes');
  });

  test('say what has no price', async () => {
    const { received } = await chat({ ...ASK, model: 'unheard-of' }, ASKED);
    expect(received.headers).toMatchObject({ 'x-gw-cost-usd': '0', 'x-gw-cost-notes': 'unpriced' });
  });

  test('do not come unasked', async () => {
    const { received } = await chat(ASK);
    expect(Object.keys(received.headers).filter((name) => /cost|usage/.test(name))).toEqual([]);
  });
});

describe('the count of answers that a caller has', () => {
  const count = (body: object, headers = {}) => world.send('/v1/gateway/tokenize', { body, headers });

  test('has their tokens and their cost', async () => {
    const received = await count({ provider: 'openai', response_body: { model: 'gpt-4o', usage: USAGE } });
    expect(received.status).toBe(200);
    expect(received.json()).toEqual({
      object: 'token_count',
      provider: 'openai',
      models: ['gpt-4o'],
      answers: 1,
      tokens: { input: 1000, output: 200, total: 1200, cached: 400, cache_write: 0, reasoning: 0, audio: 0, image: 0 },
      units: {},
      cost: { usd: '0.004', nano_dollars: LISTED, unpriced: false },
    });
  });

  test('has units of any name', async () => {
    const usage = { input_tokens: 1, output_tokens: 1, server_tool_use: { constructor: 3, web_search_requests: 2 } };
    const body = { provider: 'anthropic', response_body: [{ usage }, { usage }] };
    expect((await count(body)).json().units).toEqual({ constructor: 6, web_search: 4 });
  });

  test('adds up the rows of a batch at half the price, without those that failed', async () => {
    const row = (status_code: number) => ({
      custom_id: 'r',
      response: { status_code, body: { model: 'gpt-4o', usage: USAGE } },
    });
    const body = { provider: '@vendor', response_body: [row(200), row(200), row(500)], is_batch: true };
    expect((await count(body)).json()).toMatchObject({
      provider: 'openai',
      answers: 3,
      cost: { nano_dollars: LISTED },
    });
  });

  test('has the prices of an account of the workspace', async () => {
    const body = { provider: '@discount', response_body: { model: 'gpt-4o', usage: USAGE } };
    expect((await count(body)).json().cost).toMatchObject({ nano_dollars: LISTED / 2 });
  });

  test.for([
    { vendor: 'anthropic', answered: { model: 'claude-sonnet-4-5', usage: { input_tokens: 10, output_tokens: 20 } } },
    { vendor: 'google', answered: GEMINI },
    { vendor: 'bedrock', answered: { usage: { inputTokens: 10, outputTokens: 20 } } },
    { vendor: 'cohere', answered: { usage: { tokens: { input_tokens: 10, output_tokens: 20 } } } },
  ])('knows the format of $vendor', async ({ vendor: id, answered }) => {
    const request_url = 'https://vendor.example/model/amazon.nova-pro-v1%3A0/converse';
    const { tokens } = (await count({ provider: id, response_body: answered, request_url })).json();
    expect(tokens).toMatchObject({ input: 10, output: 20, total: 30 });
  });

  test('knows the model of a URL', async () => {
    const request_url = 'https://bedrock.example/model/amazon.nova-pro-v1%3A0/converse';
    const answered = { usage: { inputTokens: 10, outputTokens: 20 } };
    expect((await count({ provider: 'bedrock', response_body: answered, request_url })).json()).toMatchObject({
      models: ['amazon.nova-pro-v1:0'],
      cost: { nano_dollars: 10 * 800 + 20 * 3200, unpriced: false },
    });
  });

  test.for([
    { param: 'provider', body: { response_body: {} } },
    { param: 'provider', body: { provider: 'nobody', response_body: {} } },
    { param: 'provider', body: { provider: '@nobody', response_body: {} } },
    { param: 'response_body', body: { provider: 'openai' } },
    { param: 'response_body', body: { provider: 'openai', response_body: Array.from({ length: 1_001 }, () => ({})) } },
    { param: 'is_batch', body: { provider: 'openai', response_body: {}, is_batch: 'yes' } },
    { param: 'model', body: { provider: 'openai', response_body: {}, model: 5 } },
    ...[-5, 1e300, 1_000_000_001, '5', true].map((prompt_tokens) => ({
      param: 'response_body.usage.prompt_tokens',
      body: { provider: 'openai', response_body: { model: 'gpt-4o', usage: { prompt_tokens } } },
    })),
    {
      param: 'response_body[1].response.body.usage.prompt_tokens_details.cached_tokens',
      body: {
        provider: 'openai',
        response_body: [
          { usage: USAGE },
          { response: { status_code: 200, body: { usage: { prompt_tokens_details: { cached_tokens: -1 } } } } },
        ],
      },
    },
    {
      param: 'response_body.usageMetadata.promptTokensDetails[0].tokenCount',
      body: {
        provider: 'google',
        response_body: { usageMetadata: { promptTokensDetails: [{ modality: 'AUDIO', tokenCount: -1 }] } },
      },
    },
    {
      param: 'response_body.usage.server_tool_use.web_search_requests',
      body: { provider: 'anthropic', response_body: { usage: { server_tool_use: { web_search_requests: 1e300 } } } },
    },
    { param: 'request_url', body: { provider: 'openai', response_body: {}, request_url: 5 } },
  ])('refuses a wrong $param', async ({ param, body }) => {
    const received = await count(body);
    expect(received.status).toBe(400);
    expect(received.json().error.param).toBe(param);
  });

  test.for<{ what: string; answer: object }>([
    { what: 'no usage', answer: {} },
    { what: 'a usage without counts', answer: { usage: {} } },
    { what: 'a usage of which nothing is known', answer: { usage: { total_time: 0.25, prompt_tokens: null } } },
    { what: 'a row without usage', answer: { response: { status_code: 200, body: {} } } },
  ])('marks an answer with $what as unpriced', async ({ answer }) => {
    const received = await count({ provider: 'openai', model: 'gpt-4o', response_body: answer });
    expect([received.status, received.json()]).toMatchObject([200, { cost: { nano_dollars: 0, unpriced: true } }]);
  });

  test.for<{ what: string; answer: object }>([
    { what: 'of OpenAI', answer: { response: null, error: { code: 'batch_expired', message: 'Late' } } },
    { what: 'of OpenAI, with an answer', answer: { response: { status_code: 400, body: { error: {} } } } },
    { what: 'of Anthropic', answer: { custom_id: 'r', result: { type: 'expired' } } },
    { what: 'of Bedrock', answer: { recordId: 'r', error: { errorCode: 400, errorMessage: 'Bad' } } },
  ])('takes a row $what that failed as free', async ({ answer }) => {
    const received = await count({ provider: 'openai', model: 'gpt-4o', response_body: [answer] });
    expect(received.json()).toMatchObject({ answers: 1, cost: { nano_dollars: 0, unpriced: false } });
  });

  test('reads nothing into what providers report beside counts', async () => {
    const usage = { ...USAGE, cost: -1, queue_time: -0.5, cost_in_ticks: 1e12, cached_tokens: null };
    const received = await count({ provider: 'openai', response_body: { model: 'gpt-4o', usage } });
    expect(received.json()).toMatchObject({ cost: { nano_dollars: LISTED, unpriced: false } });
  });

  test('needs the scope of completions', async () => {
    await using other = await startGateway({ entries: [workspace(), key({ scopes: ['virtual_keys.list'] })] });
    expect((await other.send('/v1/gateway/tokenize', { body: { provider: 'openai', response_body: {} } })).status).toBe(
      403,
    );
  });
});

describe('the public price list', () => {
  const get = (path: string) => send(`${world.url}/model-configs/pricing/${path}`);

  test('has prices in cents, for anyone', async () => {
    const received = await get('openai/gpt-4o');
    expect(received.status).toBe(200);
    expect(received.headers['cache-control']).toBe('public, max-age=3600');
    expect(received.json()).toMatchObject({
      pay_as_you_go: {
        request_token: { price: 0.000_25 },
        response_token: { price: 0.001 },
        cache_read_input_token: { price: 0.000_125 },
        additional_units: { web_search: { price: 1 } },
      },
      currency: 'USD',
    });
  });

  test('has models with slashes in their names', async () => {
    expect((await get('openrouter/openai/gpt-4o')).status).toBe(200);
  });

  test.for(['openai/unheard-of', 'nobody/gpt-4o', 'openai/own-model', `openai/${'x'.repeat(300)}`])(
    'has no price of %s',
    async (path) => {
      const received = await get(path);
      expect(received.status).toBe(404);
      expect(received.json()).toEqual({ error: expect.any(String) });
    },
  );

  test('is of the version that the status names', async () => {
    const { prices } = (await send(`${world.adminUrl}/internal/status`)).json();
    expect(prices).toEqual({ library: '@pydantic/genai-prices', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });
});
