/** Operations beside texts and vectors, each in one form for all providers that offer it. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, guardrail, price, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };

const DRAWING = { provider: 'openai', usdPerMillionTokens: { request: '1', response: '2' } };

beforeAll(async () => {
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      provider('cohere', { provider: 'cohere', customHost: url }),
      provider('jina', { provider: 'jina', customHost: `${url}/v1` }),
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
      provider('narrow', { customHost: `${url}/v1`, models: ['mock-small'] }),
      config('cached', { provider: '@openai', cache: { mode: 'simple' } }),
      config('chain', { strategy: { mode: 'fallback' }, targets: [{ provider: '@claude' }, { provider: '@openai' }] }),
      config('anyway', {
        strategy: { mode: 'fallback', on_status_codes: [400] },
        targets: [{ provider: '@claude' }, { provider: '@openai' }],
      }),
      guardrail('no-secrets', [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }]),
      guardrail('no-addresses', [{ id: 'default.pii', parameters: { categories: ['EMAIL_ADDRESS'], redact: true } }], {
        deny: false,
      }),
      config('guarded', {
        strategy: { mode: 'fallback', on_status_codes: [400] },
        targets: [{ provider: '@openai' }, { provider: '@cohere' }],
        input_guardrails: ['no-secrets', 'no-addresses'],
      }),
      config('guarded-openai', { provider: '@openai', input_guardrails: ['no-secrets'] }),
      price('drawer', {
        ...DRAWING,
        images: [
          { quality: 'hd', size: '1024x1024', usd: '0.08' },
          { quality: 'default', size: 'default', usd: '0.04' },
        ],
      }),
      price('token-drawer', DRAWING),
      price('rerank-v3.5', { provider: 'cohere', additionalUnits: [{ name: 'search_unit', usd: '0.002' }] }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const post = (path: string, account: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  world.send(path, { headers: { 'x-gw-provider': account, ...headers }, body });
const recordOf = async (traceId: string): Promise<RequestRecord> => {
  const find = () => records.find(({ request }) => request.trace.traceId === traceId);
  await waitFor(() => find() !== undefined);
  const found = find();
  if (found === undefined) throw new Error('no record');
  return found;
};

const MODERATION = { input: 'violence' };
const DOCUMENTS = { model: 'rerank-v3.5', query: 'red fish', documents: ['a blue bird', { text: 'a red fish' }] };
const IMAGE = { model: 'drawer', prompt: 'a cat' };

describe('moderations', () => {
  test('are those of the provider, and need no model', async () => {
    const answer = await post('/v1/moderations', '@openai', MODERATION);
    expect([answer.status, answer.json().results[0].flagged], answer.text).toEqual([200, true]);
    expect(lastRequest(world.mock).headers.authorization).toBe('Bearer sk-openai-secret');
  });

  test('report errors of the provider in the normal form', async () => {
    const answer = await post('/v1/moderations', '@openai', { model: 'mock-fail-429', input: 'x' });
    expect([answer.status, answer.json()]).toMatchObject([
      429,
      { provider: 'openai', error: { type: expect.any(String) } },
    ]);
  });
});

describe('rerank', () => {
  test.for([
    { account: '@cohere', path: '/v2/rerank', usage: { search_units: 1 } },
    { account: '@jina', path: '/v1/rerank', usage: { prompt_tokens: 8, total_tokens: 8 } },
  ])('is the same by $account', async ({ account, path, usage }) => {
    const answer = await post('/v1/rerank', account, { ...DOCUMENTS, return_documents: true });
    expect(answer.json()).toMatchObject({
      object: 'list',
      results: [
        { index: 1, relevance_score: 1, document: { text: 'a red fish' } },
        { index: 0, relevance_score: 0, document: { text: 'a blue bird' } },
      ],
      model: 'rerank-v3.5',
      usage,
      provider: account.slice(1),
    });
    expect(lastRequest(world.mock)).toMatchObject({ path });
    expect(JSON.parse(lastRequest(world.mock).body.toString()).documents).toEqual(['a blue bird', 'a red fish']);
  });

  test('names the place of a document that is none', async () => {
    const answer = await post('/v1/rerank', '@cohere', { ...DOCUMENTS, documents: ['a', { title: 'b' }] });
    expect([answer.status, answer.json().error.param]).toEqual([400, 'documents[1]']);
  });

  test('costs its units', async () => {
    const headers = { 'x-gw-usage-headers': 'true', 'x-gw-trace-id': 'rerank-cost' };
    const answer = await post('/v1/rerank', '@cohere', DOCUMENTS, headers);
    expect(answer.headers['x-gw-cost-usd']).toBe('0.002');
    const { answeredBy, request } = await recordOf('rerank-cost');
    expect([request.operation, answeredBy?.usage?.units]).toEqual(['rerank', { search_unit: 1 }]);
  });
});

describe('generated images', () => {
  test('are those of the provider', async () => {
    const answer = await post('/v1/images/generations', '@openai', IMAGE);
    expect(answer.json()).toMatchObject({ created: expect.any(Number), data: [{ b64_json: expect.any(String) }] });
  });

  test('stream their events as they are', async () => {
    const answer = await post('/v1/images/generations', '@openai', { ...IMAGE, stream: true, partial_images: 2 });
    expect(answer.headers['content-type']).toContain('text/event-stream');
    const types = answer.text.match(/^event: (.+)$/gm);
    expect(types).toEqual([
      'event: image_generation.partial_image',
      'event: image_generation.partial_image',
      'event: image_generation.completed',
    ]);
    expect(answer.text).not.toContain('[DONE]');
  });

  test.for([
    { rule: 'by the piece', body: { n: 3 }, usd: '0.12' },
    { rule: 'by quality and size', body: { n: 2, quality: 'hd', size: '1024x1024' }, usd: '0.16' },
    { rule: 'as one where no number is given', body: {}, usd: '0.04' },
  ])('cost $rule', async ({ body, usd }) => {
    const asked = { ...IMAGE, prompt: '', ...body };
    const answer = await post('/v1/images/generations', '@openai', asked, { 'x-gw-usage-headers': 'true' });
    expect([answer.status, answer.headers['x-gw-cost-usd']], answer.text).toEqual([200, usd]);
  });

  test('cost their tokens where the model has no price by the piece', async () => {
    const asked = { ...IMAGE, model: 'token-drawer', prompt: '' };
    const answer = await post('/v1/images/generations', '@openai', asked, { 'x-gw-usage-headers': 'true' });
    expect(answer.headers['x-gw-cost-usd']).toBe('0.000544');
  });
});

describe('an operation that a provider does not offer', () => {
  test.for([
    { path: '/v1/moderations', account: '@cohere', body: MODERATION },
    { path: '/v1/rerank', account: '@openai', body: DOCUMENTS },
    { path: '/v1/images/generations', account: '@claude', body: IMAGE },
  ])('is refused by name: $path of $account', async ({ path, account, body }) => {
    const before = world.mock.requests.length;
    const answer = await post(path, account, body);
    expect([answer.status, answer.json().error.code]).toEqual([400, 'operation_unsupported']);
    expect(answer.json().error.message).toMatch(new RegExp(`POST ${path} is not offered by \\w+; .* offers it`));
    expect(world.mock.requests).toHaveLength(before);
  });

  test.for(['/v1/files/f1/content', '/v1/batches/b1', '/v1/fine_tuning/jobs/j1', '/v1/responses/r1'])(
    'names no other account for what one account has: GET %s',
    async (path) => {
      const answer = await world.send(path, { headers: { 'x-gw-provider': '@jina' } });
      expect([answer.status, answer.json().error]).toMatchObject([
        ...[400, { code: 'operation_unsupported', message: expect.not.stringContaining('offers it') }],
      ]);
    },
  );

  test('is still reached as a path of the provider', async () => {
    const answer = await post('/v1/proxy/rerank', '@openai', DOCUMENTS);
    expect([answer.status, answer.json().provider]).toEqual([200, undefined]);
  });

  test('is offered by the next target where the status is listed', async () => {
    const first = await world.send('/v1/images/generations', { headers: { 'x-gw-config': 'chain' }, body: IMAGE });
    expect([first.status, first.headers['x-gw-last-used-option-index']]).toEqual([400, 'config.targets[0]']);
    const listed = await world.send('/v1/images/generations', { headers: { 'x-gw-config': 'anyway' }, body: IMAGE });
    expect([listed.status, listed.headers['x-gw-last-used-option-index']]).toEqual([200, 'config.targets[1]']);
  });
});

describe('guardrails', () => {
  const under = (path: string, body: object) => world.send(path, { headers: { 'x-gw-config': 'guarded' }, body });

  test.for([
    { text: 'a prompt', path: '/v1/images/generations', body: { ...IMAGE, prompt: 'a secret cat' } },
    { text: 'a query', path: '/v1/rerank', body: { ...DOCUMENTS, query: 'a secret' } },
    { text: 'a document', path: '/v1/rerank', body: { ...DOCUMENTS, documents: ['a', { text: 'a secret' }] } },
  ])('look at $text', async ({ path, body }) => {
    const before = world.mock.requests.length;
    const answer = await under(path, body);
    expect([answer.status, answer.json().error.type], answer.text).toEqual([446, 'hooks_failed']);
    expect(world.mock.requests).toHaveLength(before);
  });

  test('change a prompt before it is sent', async () => {
    expect((await under('/v1/images/generations', { ...IMAGE, prompt: 'mail a@example.com' })).status).toBe(200);
    expect(JSON.parse(lastRequest(world.mock).body.toString()).prompt).toBe('mail [EMAIL_ADDRESS_1]');
  });

  test('let through what is to be moderated', async () => {
    const answer = await world.send('/v1/moderations', {
      headers: { 'x-gw-config': 'guarded-openai' },
      body: { input: 'a secret' },
    });
    expect(answer.status, answer.text).toBe(200);
  });

  test('refuse a type of requests', async () => {
    const blocked = { 'default.allowedRequestTypes': { blockedTypes: ['moderate'] }, deny: true };
    const answer = await world.send('/v1/moderations', {
      headers: { 'x-gw-config': JSON.stringify({ provider: '@openai', input_guardrails: [blocked] }) },
      body: MODERATION,
    });
    expect(answer.status).toBe(446);
  });
});

describe('all of them', () => {
  test.for([
    { path: '/v1/moderations', body: { ...MODERATION, model: 'm' } },
    { path: '/v1/images/generations', body: IMAGE },
  ])('come from the cache: $path', async ({ path, body }) => {
    const ask = () => world.send(path, { headers: { 'x-gw-config': 'cached' }, body });
    const first = await ask();
    expect([first.status, first.headers['x-gw-cache-status']], first.text).toEqual([200, 'MISS']);
    const second = await ask();
    expect([second.headers['x-gw-cache-status'], second.text]).toEqual(['HIT', first.text]);
  });

  test.for([
    { rule: 'another model', path: '/v1/images/generations', body: { ...IMAGE, model: 'mock-large' } },
    { rule: 'no model', path: '/v1/moderations', body: MODERATION },
  ])('are held to the models of the account: $rule', async ({ path, body }) => {
    const before = world.mock.requests.length;
    expect((await post(path, '@narrow', body)).status).toBe(412);
    expect(world.mock.requests).toHaveLength(before);
  });

  test('take JSON alone', async () => {
    const answer = await world.send('/v1/images/generations', {
      headers: { 'x-gw-provider': '@openai', 'content-type': 'text/plain' },
      body: Buffer.from('a cat'),
    });
    expect([answer.status, answer.json().error.param]).toEqual([400, 'content-type']);
  });

  test('have a prefix of the account in their model', async () => {
    const answer = await world.send('/v1/images/generations', { body: { ...IMAGE, model: '@openai/drawer' } });
    expect([answer.status, JSON.parse(lastRequest(world.mock).body.toString()).model]).toEqual([200, 'drawer']);
  });
});
