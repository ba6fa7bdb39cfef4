import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import type { AuthorizerContext, Call, Endpoint, ProviderServices, SideRequest } from '../contract.ts';
import { buildRequest, createFields, prepareTarget } from '../engine/index.ts';
import { bedrock } from './manifest.ts';

const KEYS = { aws_access_key_id: 'AKID', aws_secret_access_key: 'sk', aws_region: 'eu-west-1' };
const PROFILE = 'arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc';
const NOW = 1_760_000_000_000;

function open(
  endpoint: Call['endpoint'],
  params: Record<string, unknown>,
  over: Partial<Call> = {},
  values: Record<string, string> = KEYS,
) {
  const target = prepareTarget(bedrock, createFields(bedrock, new Map(Object.entries(values))));
  const call: Call = {
    provider: 'bedrock',
    model: typeof params['model'] === 'string' ? params['model'] : '',
    strict: true,
    params,
    operation: 'chatComplete',
    endpoint,
    stream: false,
    path: '/',
    query: '',
    route: {},
    now: () => NOW,
    newId: (prefix) => prefix,
    header: () => undefined,
    fields: target.fields,
    ...over,
  };
  return { target, call };
}

type Reply = (request: SideRequest) => { status?: number; body?: unknown; headers?: Record<string, string> } | Error;

function world(reply: Reply) {
  const calls: SideRequest[] = [];
  const ttls: number[] = [];
  const kept = new Map<string, Promise<unknown>>();
  let running = 0;
  let most = 0;
  const services: ProviderServices = {
    now: () => NOW,
    env: () => undefined,
    async fetch(request) {
      calls.push(request);
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      const answer = reply(request);
      if (answer instanceof Error) throw answer;
      const { status = 200, body = {}, headers = {} } = answer;
      return { status, headers, body: Buffer.from(JSON.stringify(body)) };
    },
    cached: <T>(key: string, make: () => Promise<{ value: T; ttlMs: number }>) => {
      const made =
        kept.get(key) ??
        make().then(({ value, ttlMs }) => {
          ttls.push(ttlMs);
          return value;
        });
      kept.set(key, made);
      return made as Promise<T>; // one type per key
    },
  };
  const context = { services, signal: new Cancellation() } satisfies AuthorizerContext;
  return { context, calls, ttls, most: () => most };
}

async function send({ target, call }: ReturnType<typeof open>, { context }: ReturnType<typeof world>) {
  const request = await buildRequest(target, call, { ...context, forwarded: {}, rawBody: undefined });
  return { request, body: JSON.parse(request.body?.toString() ?? '{}') as Record<string, unknown> };
}

function read(endpoint: Endpoint | undefined, body: unknown, call: Call) {
  const rule = endpoint?.answer;
  if (rule?.kind !== 'read') throw new Error('the answer is not read');
  return rule.read(body, call, { status: 200, headers: {} });
}

describe('a list of texts for a model that takes one at a time', () => {
  const MODEL = 'amazon.titan-embed-text-v2:0';
  const texts = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
  const vectorOf = ({ body }: SideRequest): number =>
    Number((JSON.parse(body ?? '') as { inputText: string }).inputText.slice(1));
  const embedded: Reply = (request) => ({ body: { embedding: [vectorOf(request)], inputTextTokenCount: 2 } });

  test('is embedded in order, some at a time, and its tokens are summed', async () => {
    const session = open('embed', { model: MODEL, input: texts(20) });
    const there = world(embedded);
    const { body } = await send(session, there);
    expect(body).toEqual({ inputText: 't19' });
    expect(there.most()).toBeLessThanOrEqual(8);
    const answer = unwrap(read(bedrock.endpoints.embed, { embedding: [19], inputTextTokenCount: 2 }, session.call));
    expect(answer).toMatchObject({
      data: texts(20).map((_, index) => ({ object: 'embedding', index, embedding: [index] })),
      usage: { prompt_tokens: 40, total_tokens: 40 },
    });
  });

  test('cannot be answered in part', async () => {
    const session = open('embed', { model: MODEL, input: texts(4) });
    const { body } = await send(
      session,
      world((request) => (vectorOf(request) === 1 ? { status: 429 } : embedded(request))),
    );
    expect(body).toEqual({ inputText: 't1' });
    expect(read(bedrock.endpoints.embed, { embedding: [1] }, session.call).ok).toBe(false);
  });

  test('starts afresh when the call is tried again', async () => {
    const session = open('embed', { model: MODEL, input: texts(3) });
    await send(
      session,
      world(() => ({ status: 500 })),
    );
    await send(session, world(embedded));
    expect(read(bedrock.endpoints.embed, { embedding: [2] }, session.call).ok).toBe(true);
  });

  test('is kept apart in the cache from a list with the same last text', () => {
    const saltOf = (...input: string[]) =>
      bedrock.endpoints.embed?.cacheSalt?.(open('embed', { model: MODEL, input }).call);
    expect(saltOf('t1', 't3')).not.toBe(saltOf('t2', 't3'));
    expect(saltOf('t3')).toBe('');
  });

  test('has a limit', async () => {
    const session = open('embed', { model: MODEL, input: texts(2049) });
    await expect(send(session, world(embedded))).rejects.toMatchObject({ code: 'PARAMETER_INVALID', param: 'input' });
  });

  test('goes to the host of the target', async () => {
    const session = open('embed', { model: MODEL, input: texts(2) });
    const call = {
      ...session.call,
      fields: {
        ...session.call.fields,
        text: (key: string) => (key === 'custom_host' ? 'http://aws.local:4566/' : session.call.fields.text(key)),
      },
    };
    const there = world(embedded);
    await send({ ...session, call }, there);
    expect(there.calls[0]?.url).toBe('http://aws.local:4566/model/amazon.titan-embed-text-v2%3A0/invoke');
  });
});

describe('an opaque inference profile', () => {
  const found: Reply = () => ({
    body: { models: [{ modelArn: 'arn:aws:bedrock:eu-west-1::foundation-model/anthropic.claude-x' }] },
  });
  const chat = (values = KEYS) => open('messages', { model: PROFILE, max_tokens: 9, messages: [] }, {}, values);

  test('is looked up once, signed, and kept for hours', async () => {
    const there = world(found);
    await send(chat(), there);
    const { request } = await send(chat(), there);
    expect(request.path).toMatch(/\/invoke$/);
    expect(there.calls).toHaveLength(1);
    expect(there.calls[0]?.headers?.['authorization']).toContain('AWS4-HMAC-SHA256');
    expect(there.ttls).toEqual([16 * 3_600_000]);
  });

  test.for<{ rule: string; reply: Reply }>([
    { rule: 'is refused', reply: () => ({ status: 403 }) },
    { rule: 'says nothing', reply: () => ({ body: {} }) },
    { rule: 'cannot be looked up', reply: () => new AppError('UPSTREAM_UNREACHABLE') },
  ])('that $rule goes through Converse and is looked up again soon', async ({ reply }) => {
    const there = world(reply);
    const { request } = await send(chat(), there);
    expect(request.path).toMatch(/\/converse$/);
    expect(there.ttls).toEqual([60_000]);
  });

  test('is looked up for each account separately', async () => {
    const there = world(found);
    await send(chat(), there);
    await send(chat({ ...KEYS, aws_access_key_id: 'OTHER' }), there);
    expect(there.calls).toHaveLength(2);
  });
});

describe('files on the web', () => {
  const chat = (count: number) =>
    open('chatComplete', {
      model: 'amazon.nova-lite-v1:0',
      messages: [
        {
          role: 'user',
          content: Array.from({ length: count }, (_, i) => ({
            type: 'image_url',
            image_url: { url: `https://x.example/${i}.png` },
          })),
        },
      ],
    });

  test('are fetched within limits', async () => {
    const there = world(() => ({ headers: { 'content-type': 'application/octet-stream' } }));
    const { body } = await send(chat(2), there);
    expect(there.calls.every(({ maxBytes = 0 }) => maxBytes > 0 && maxBytes <= 5 * 1024 * 1024)).toBe(true);
    expect(body['messages']).toMatchObject([{ content: [{ image: { format: 'png' } }, { image: { format: 'png' } }] }]);
  });

  test.for<{ rule: string; count: number; reply: Reply }>([
    { rule: 'there are too many', count: 21, reply: () => ({}) },
    { rule: 'one is gone', count: 1, reply: () => ({ status: 404 }) },
    { rule: 'one moved elsewhere', count: 1, reply: () => ({ status: 302 }) },
    { rule: 'one lies at a forbidden address', count: 1, reply: () => new AppError('UPSTREAM_ADDRESS_REFUSED') },
    { rule: 'one is too large', count: 1, reply: () => new AppError('UPSTREAM_TOO_LARGE') },
  ])("are the client's mistake when $rule", async ({ count, reply }) => {
    await expect(send(chat(count), world(reply))).rejects.toMatchObject({
      code: 'PARAMETER_INVALID',
      param: 'messages',
    });
  });
});

describe('the host of a proxied call', () => {
  const hostOf = (path: string, values: Record<string, string> = KEYS): string | undefined =>
    bedrock.proxy.baseUrl?.(open('proxy', {}, { path }, values).call);

  test.for([
    ['/model/x/invoke', 'bedrock-runtime'],
    ['/guardrail/g/version/1/apply', 'bedrock-runtime'],
    ['/proxy/foundation-models', 'bedrock'],
    ['/model-customization-jobs?maxResults=1', 'bedrock'],
    ['/proxy/knowledgebases/k/retrieve', 'bedrock-agent-runtime'],
    ['/', 'bedrock-runtime'],
  ] as const)('for %s is %s', ([path, host]) => {
    expect(hostOf(path)).toBe(`https://${host}.eu-west-1.amazonaws.com`);
  });

  test('is that of the service the target names', () => {
    expect(hostOf('/b/k', { ...KEYS, aws_service: 's3' })).toBe('https://s3.eu-west-1.amazonaws.com');
    for (const service of ['sts', 'iam', 'secretsmanager', 'evil.example/']) {
      expect(() => hostOf('/b/k', { ...KEYS, aws_service: service })).toThrow(
        expect.objectContaining({ param: 'aws_service' }),
      );
    }
  });
});

test('no secret is part of what a cache key or an error shows', async () => {
  const keys: string[] = [];
  const there = world(() => ({ status: 403 }));
  const services = {
    ...there.context.services,
    cached: <T>(key: string, make: () => Promise<{ value: T; ttlMs: number }>) => {
      keys.push(key);
      return make().then(({ value }) => value);
    },
  };
  await send(open('messages', { model: PROFILE, messages: [] }), { ...there, context: { ...there.context, services } });
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.join()).not.toContain('AKID');
});
