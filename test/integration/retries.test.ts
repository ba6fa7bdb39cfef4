/** Retries and timeouts over sockets: docs/behaviour/retries.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [provider('second', { customHost: `${url}/v1`, secret: 'sk-second' })],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const chat = (document: object | string, more: { headers?: Record<string, string>; body?: object } = {}) =>
  world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': typeof document === 'string' ? document : JSON.stringify(document), ...more.headers },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }], ...more.body },
  });

describe('retries', () => {
  let upstream: RawUpstream;
  let script: ((attempt: number) => { status: number; headers?: Record<string, string> })[] = [];
  let attempts = 0;

  beforeAll(async () => {
    upstream = await startRawUpstream(async (reply) => {
      await reply.request.body;
      const next = script[0]?.(attempts) ?? { status: 200 };
      attempts += 1;
      await reply.answer(next.status, '{"id":"x"}', { 'content-type': 'application/json', ...next.headers });
    });
  });
  afterAll(() => upstream[Symbol.asyncDispose]());

  const ask = async (
    retry: object,
    answer: (attempt: number) => { status: number; headers?: Record<string, string> },
    body: object = {},
  ) => {
    attempts = 0;
    script = [answer];
    const document = { provider: 'openai', api_key: 'x', custom_host: upstream.url, retry };
    const { status, headers } = await chat(document, { body });
    return { status, count: headers['x-gw-retry-attempt-count'], attempts };
  };
  const limited = (ms: number | string, header = 'retry-after-ms') => ({
    status: 429,
    headers: { [header]: String(ms) },
  });

  test.for<{
    rule: string;
    retry: object;
    answer: (attempt: number) => { status: number; headers?: Record<string, string> };
    want: object;
  }>([
    {
      rule: 'wait as long as a 429 asks, in the order of the headers',
      retry: { attempts: 3, use_retry_after_header: true },
      answer: (n) =>
        [limited(5), limited(5, 'x-ms-retry-after-ms'), { ...limited(0, 'retry-after') }][n] ?? { status: 200 },
      want: { status: 200, count: '3', attempts: 4 },
    },
    {
      rule: 'take the plural spelling of the flag, too',
      retry: { attempts: 1, use_retry_after_headers: true },
      answer: (n) => (n === 0 ? limited(1) : { status: 200 }),
      want: { status: 200, count: '1', attempts: 2 },
    },
    {
      rule: 'end with -1 when they are used up',
      retry: { attempts: 2, use_retry_after_header: true },
      answer: () => limited(1),
      want: { status: 429, count: '-1', attempts: 3 },
    },
    {
      rule: 'stop at once when a wait is longer than a minute',
      retry: { attempts: 5, use_retry_after_header: true },
      answer: () => limited(60_001),
      want: { status: 429, count: '-1', attempts: 1 },
    },
    {
      rule: 'stop when the waits add up to more than a minute',
      retry: { attempts: 5, use_retry_after_header: true },
      answer: (n) => (n === 0 ? limited(10) : limited(59_995)),
      want: { status: 429, count: '-1', attempts: 2 },
    },
    {
      rule: 'leave statuses alone that are not listed',
      retry: { attempts: 5 },
      answer: () => ({ status: 501 }),
      want: { status: 501, count: '0', attempts: 1 },
    },
    {
      rule: 'leave the defaults alone when others are listed',
      retry: { attempts: 5, on_status_codes: [418] },
      answer: () => ({ status: 503 }),
      want: { status: 503, count: '0', attempts: 1 },
    },
    {
      rule: 'leave redirects alone: they are answers',
      retry: { attempts: 5 },
      answer: () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' } }),
      want: { status: 302, count: '0', attempts: 1 },
    },
    {
      rule: 'do not happen without a retry setting',
      retry: { attempts: 0 },
      answer: () => ({ status: 503 }),
      want: { status: 503, count: '0', attempts: 1 },
    },
  ])('$rule', async ({ retry, answer, want }) => {
    expect(await ask(retry, answer)).toEqual(want);
  });

  test('back off a second before the first one', async () => {
    const started = performance.now();
    expect(await ask({ attempts: 1 }, (n) => ({ status: n === 0 ? 503 : 200 }))).toMatchObject({
      status: 200,
      count: '1',
    });
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  test('have a budget per target of a fallback', async () => {
    attempts = 0;
    script = [(n) => (n < 3 ? limited(1) : { status: 200 })];
    const target = { provider: 'openai', api_key: 'x', custom_host: upstream.url };
    const retry = { attempts: 1, use_retry_after_header: true };
    const answer = await chat({ strategy: { mode: 'fallback' }, retry, targets: [target, target] });
    expect(attempts).toBe(4);
    expect(answer.headers['x-gw-retry-attempt-count']).toBe('1');
    expect(answer.headers['x-gw-last-used-option-index']).toBe('config.targets[1]');
  });
});

describe('the request timeout', () => {
  test.for<{ rule: string; headers?: Record<string, string>; document?: object; model: string; stream?: boolean }>([
    { rule: 'of the header ends a silent call', headers: { 'x-gw-request-timeout': '400' }, model: 'mock-delay-30000' },
    { rule: 'of the config ends a silent call', document: { request_timeout: 400 }, model: 'mock-delay-30000' },
    { rule: 'covers a unary call to its last byte', document: { request_timeout: 400 }, model: 'mock-stall-10' },
    {
      rule: 'covers a stream until its first event',
      document: { request_timeout: 400 },
      model: 'mock-delay-30000',
      stream: true,
    },
  ])('$rule with 408', async ({ headers = {}, document = {}, model, stream = false }) => {
    const answer = await chat({ provider: '@openai', ...document }, { headers, body: { model, stream } });
    expect(answer.status).toBe(408);
    expect(answer.json()).toMatchObject({ error: { type: 'timeout_error', code: null } });
    // None of these answers would end by itself.
    await waitFor(() => world.mock.requests.every(({ outcome }) => outcome !== 'open'), {
      what: 'the end of the call to the provider',
    });
  });

  test('does not cut a stream that has begun', async () => {
    const started = performance.now();
    const answer = await chat(
      { provider: '@openai', request_timeout: 1_000 },
      { body: { model: 'mock-slow-200', stream: true, messages: [{ role: 'user', content: 'a long enough text' }] } },
    );
    expect(performance.now() - started).toBeGreaterThan(1_000);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('[DONE]');
  });

  test('of the header wins over the config, 0 takes it away', async () => {
    const document = { provider: '@openai', request_timeout: 20 };
    const answer = await chat(document, { headers: { 'x-gw-request-timeout': '0' }, body: { model: 'mock-delay-80' } });
    expect(answer.status).toBe(200);
  });

  test('moves a fallback on', async () => {
    const answer = await chat({
      strategy: { mode: 'fallback' },
      targets: [
        { provider: '@openai', request_timeout: 40, override_params: { model: 'mock-delay-30000' } },
        { provider: '@second' },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-gw-provider']).toBe('openai');
  });
});
