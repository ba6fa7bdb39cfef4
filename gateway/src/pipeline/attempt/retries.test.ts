import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import { DEFAULT_JSON_LIMITS } from '../../lib/json/index.ts';
import { unlimitedAccount } from '../../lib/testing.ts';
import type { RetryPlan } from '../../routing/index.ts';
import { BodyRelay, type UpstreamClient, type UpstreamHeaders } from '../../upstream/index.ts';
import { CallBudget } from '../call-budget.ts';
import { type RetryOptions, tryWithRetries } from './retries.ts';
import type { ProviderAnswer, SendPort } from './send/index.ts';

type Scripted = { readonly status: number; readonly headers?: UpstreamHeaders; readonly stream?: boolean } | AppError;

const retry = (over: Partial<RetryPlan> = {}): RetryPlan => ({
  maxRetries: 3,
  statusCodes: new Set([429, 500, 502, 503, 504, 529]),
  useRetryAfter: false,
  ...over,
});

function bodyOf(text: string): BodyRelay {
  const body = new BodyRelay({ pause: () => {}, resume: () => {}, abort: () => {} });
  body.push(Buffer.from(text));
  body.finish();
  return body;
}

/** Plays a script, the last line of which repeats, and notes how long was waited. */
async function play(script: readonly Scripted[], plan: RetryPlan, more: Partial<RetryOptions<ProviderAnswer>> = {}) {
  const waits: number[] = [];
  let calls = 0;
  const client: UpstreamClient = {
    send: async () => {
      const next = script[Math.min(calls, script.length - 1)];
      calls += 1;
      if (next instanceof AppError) throw next;
      return { status: next?.status ?? 200, headers: next?.headers ?? {}, body: bodyOf('{}') };
    },
    close: async () => {},
  };
  const port: SendPort = {
    client,
    limits: { headersTimeoutMs: 0, idleTimeoutMs: 0 },
    maxResponseBytes: 1_000,
    json: DEFAULT_JSON_LIMITS,
    sleep: async (ms) => void waits.push(ms),
  };
  const sent = await tryWithRetries<ProviderAnswer>(port, {
    signal: new Cancellation(),
    settings: { retry: plan, requestTimeoutMs: 0 },
    request: () => ({
      method: 'POST',
      origin: 'http://x',
      path: '/',
      headers: {},
      body: undefined,
      hostOrigin: 'request',
    }),
    calls: new CallBudget(1_000),
    memory: unlimitedAccount(),
    replayable: true,
    isStream: () => false,
    isEventStream: () => true,
    atEnd: () => {},
    map: (answer) => answer,
    evaluate: () => undefined,
    statusOf: () => 200,
    release: () => {},
    ...more,
  });
  const { result } = sent;
  const outcome =
    result.kind === 'error' ? result.error.code : result.answer.kind === 'unary' ? result.answer.status : 'stream';
  return { outcome, retries: sent.retries, calls: sent.calls, waits };
}

const limited = (headers: UpstreamHeaders = {}): Scripted => ({ status: 429, headers });
const broken = new AppError('UPSTREAM_UNREACHABLE');

describe('retries', () => {
  test.for<{ rule: string; script: Scripted[]; plan?: Partial<RetryPlan>; want: object }>([
    { rule: 'are not needed', script: [{ status: 200 }], want: { outcome: 200, retries: 0, calls: 1, waits: [] } },
    {
      rule: 'are not wanted',
      script: [{ status: 500 }],
      plan: { maxRetries: 0 },
      want: { outcome: 500, retries: 0, calls: 1 },
    },
    {
      rule: 'wait longer and longer',
      script: [{ status: 503 }],
      plan: { maxRetries: 5 },
      want: { outcome: 503, retries: -1, calls: 6, waits: [1_000, 2_000, 4_000, 8_000, 16_000] },
    },
    {
      rule: 'end with the first good answer',
      script: [{ status: 500 }, { status: 502 }, { status: 201 }],
      want: { outcome: 201, retries: 2, calls: 3 },
    },
    {
      rule: 'end with a status that is not listed',
      script: [{ status: 500 }, { status: 400 }],
      want: { outcome: 400, retries: 1, calls: 2 },
    },
    {
      rule: 'happen for a lost connection, which has no status',
      script: [broken, { status: 200 }],
      plan: { statusCodes: new Set([418]) },
      want: { outcome: 200, retries: 1, calls: 2 },
    },
    {
      rule: 'end with the last lost connection',
      script: [broken],
      plan: { maxRetries: 2 },
      want: { outcome: 'UPSTREAM_UNREACHABLE', retries: -1, calls: 3 },
    },
    {
      rule: 'do not happen for a timeout, unless 408 is listed',
      script: [new AppError('UPSTREAM_TIMEOUT')],
      want: { outcome: 'UPSTREAM_TIMEOUT', retries: 0, calls: 1 },
    },
    {
      rule: 'happen for a timeout when 408 is listed',
      script: [new AppError('UPSTREAM_TIMEOUT'), { status: 200 }],
      plan: { statusCodes: new Set([408]) },
      want: { outcome: 200, retries: 1, calls: 2 },
    },
    {
      rule: 'do not happen for what no second try helps',
      script: [new AppError('UPSTREAM_ADDRESS_REFUSED')],
      want: { outcome: 'UPSTREAM_ADDRESS_REFUSED', retries: 0, calls: 1 },
    },
    {
      rule: 'do not happen when the client is gone',
      script: [new AppError('CLIENT_CLOSED')],
      want: { outcome: 'CLIENT_CLOSED', retries: 0, calls: 1 },
    },
    {
      rule: 'wait as a 429 asks, and not at all afterwards',
      script: [limited({ 'retry-after': '2' }), { status: 503 }, { status: 503 }, { status: 200 }],
      plan: { useRetryAfter: true },
      want: { outcome: 200, retries: 3, waits: [2_000, 0, 0] },
    },
    {
      rule: 'do not wait after a 429 that asks for nothing either',
      script: [limited({ 'retry-after': '0' }), { status: 503 }, { status: 200 }],
      plan: { useRetryAfter: true },
      want: { outcome: 200, retries: 2, waits: [0, 0] },
    },
    {
      rule: 'ignore the wait of a 429 unless useRetryAfter is set',
      script: [limited({ 'retry-after': '2' }), { status: 200 }],
      want: { waits: [1_000] },
    },
    {
      rule: 'listen to a 429 only',
      script: [{ status: 503, headers: { 'retry-after': '2' } }, { status: 200 }],
      plan: { useRetryAfter: true },
      want: { waits: [1_000] },
    },
    {
      rule: 'back off when a 429 names no time that is understood',
      script: [limited({ 'retry-after': 'tomorrow' }), { status: 200 }],
      plan: { useRetryAfter: true },
      want: { waits: [1_000] },
    },
    {
      rule: 'stop with -1 at a wait beyond a minute',
      script: [limited({ 'retry-after': '61' })],
      plan: { useRetryAfter: true },
      want: { outcome: 429, retries: -1, calls: 1, waits: [] },
    },
    {
      rule: 'stop with -1 when the waits add up to more than a minute',
      script: [limited({ 'retry-after': '40' }), limited({ 'retry-after': '21' })],
      plan: { useRetryAfter: true },
      want: { outcome: 429, retries: -1, calls: 2, waits: [40_000] },
    },
    {
      rule: 'leave good answers alone, listed or not',
      script: [{ status: 200 }],
      plan: { statusCodes: new Set([200]) },
      want: { outcome: 200, retries: 0, calls: 1 },
    },
  ])('$rule', async ({ script, plan, want }) => {
    expect(await play(script, retry(plan))).toMatchObject(want);
  });

  test('do not happen when the body is gone', async () => {
    const once = await play([{ status: 503 }], retry(), { replayable: false });
    expect(once).toMatchObject({ outcome: 503, retries: 0, calls: 1 });
  });

  test('of a stream end once it has begun', async () => {
    expect(
      await play([{ status: 200 }], retry({ statusCodes: new Set([200]) }), { isStream: () => true }),
    ).toMatchObject({
      outcome: 'stream',
      retries: 0,
    });
  });

  test('happen for a good answer that a check refuses, when the status of its error is listed', async () => {
    const seen: ProviderAnswer[] = [];
    const released: ProviderAnswer[] = [];
    const options: Partial<RetryOptions<ProviderAnswer>> = {
      isStream: () => true,
      map: (answer) => ({ ...answer }),
      evaluate: (answer) => {
        seen.push(answer);
        return seen.length === 1 ? new AppError('UPSTREAM_OVERLOADED') : undefined;
      },
      statusOf: () => 200,
      release: (answer) => void released.push(answer),
    };
    expect(await play([{ status: 200 }], retry(), options)).toMatchObject({ outcome: 'stream', retries: 1, calls: 2 });
    expect(seen).toHaveLength(2);
    expect(released).toEqual([seen[0]]);
    seen.length = 0;
    const unlisted = retry({ statusCodes: new Set([500]) });
    expect(await play([{ status: 200 }], unlisted, options)).toMatchObject({
      outcome: 'UPSTREAM_OVERLOADED',
      retries: 0,
    });
  });

  test('do not happen for a refusal that no other try can change', async () => {
    const evaluate = () => Promise.resolve(new AppError('BODY_TOO_LARGE'));
    const once = await play([{ status: 200 }], retry({ statusCodes: new Set([413]) }), { evaluate });
    expect(once).toMatchObject({ outcome: 'BODY_TOO_LARGE', retries: 0, calls: 1 });
  });

  test('do not happen for a check that throws, and its answer is released', async () => {
    let released = 0;
    const once = await play([{ status: 200 }], retry(), {
      evaluate: () => {
        throw new Error('broken check');
      },
      statusOf: () => 200,
      release: () => {
        released += 1;
      },
    });
    expect(once).toMatchObject({ outcome: 'INTERNAL', retries: 0, calls: 1 });
    expect(released).toBe(1);
  });

  test('map and check good answers, and of the others map the last alone', async () => {
    const mapped: unknown[] = [];
    const checked: unknown[] = [];
    const options: Partial<RetryOptions<ProviderAnswer>> = {
      map: (answer) => {
        mapped.push('status' in answer && answer.status);
        return answer;
      },
      evaluate: (answer) => {
        checked.push('status' in answer && answer.status);
        return undefined;
      },
    };
    await play([{ status: 500 }, { status: 502 }, { status: 201 }], retry(), options);
    await play([{ status: 500 }, { status: 502 }], retry({ maxRetries: 1 }), options);
    expect(mapped).toEqual([201, 502]);
    expect(checked).toEqual([201]);
  });

  test('do not happen for an answer that cannot be read, unless its status is listed', async () => {
    const map = (): never => {
      throw new AppError('UPSTREAM_INVALID_RESPONSE');
    };
    const once = await play([{ status: 500 }, { status: 200 }], retry(), { map });
    expect(once).toMatchObject({ outcome: 'UPSTREAM_INVALID_RESPONSE', retries: 1, calls: 2 });
    const listed = await play([{ status: 206 }], retry({ maxRetries: 1, statusCodes: new Set([206]) }), { map });
    expect(listed).toMatchObject({ outcome: 'UPSTREAM_INVALID_RESPONSE', retries: -1, calls: 2 });
  });

  test('end when the request has caused as many calls as it may', async () => {
    const calls = new CallBudget(2);
    expect(await play([{ status: 500 }], retry({ maxRetries: 5 }), { calls })).toMatchObject({
      outcome: 500,
      retries: -1,
      calls: 2,
    });
    expect(calls.exhausted).toBe(true);
  });

  test('are not missed by a request that ends with its last call', async () => {
    const calls = new CallBudget(2);
    expect(await play([{ status: 500 }, { status: 200 }], retry(), { calls })).toMatchObject({ outcome: 200 });
    expect(calls.exhausted).toBe(false);
  });

  test('do not begin when no call is left', async () => {
    const calls = new CallBudget(0);
    expect(await play([{ status: 200 }], retry(), { calls })).toMatchObject({ outcome: 'ATTEMPTS_EXHAUSTED' });
  });

  test('hold the bytes of the last answer alone', async () => {
    const budget = createByteBudget(1_000);
    await play([{ status: 500 }, { status: 500 }, { status: 200 }], retry(), { memory: budget.open() });
    expect(budget.used).toBe('{}'.length);
  });

  test('are not made for an answer that found no room', async () => {
    const budget = createByteBudget(1);
    const sent = await play([{ status: 200 }], retry(), { memory: budget.open() });
    expect(sent).toMatchObject({ outcome: 'MEMORY_EXHAUSTED', calls: 1 });
    expect(budget.used).toBe(0);
  });

  test('end when the client leaves while they wait', async () => {
    const gone = new AppError('CLIENT_CLOSED');
    const port: SendPort = {
      client: { send: () => Promise.reject(broken), close: async () => {} },
      limits: { headersTimeoutMs: 0, idleTimeoutMs: 0 },
      maxResponseBytes: 1,
      json: DEFAULT_JSON_LIMITS,
      sleep: () => Promise.reject(gone),
    };
    const sending = tryWithRetries<ProviderAnswer>(port, {
      signal: new Cancellation(),
      settings: { retry: retry(), requestTimeoutMs: 0 },
      request: () => Promise.reject(broken),
      calls: new CallBudget(1_000),
      memory: unlimitedAccount(),
      replayable: true,
      isStream: () => false,
      isEventStream: () => true,
      atEnd: () => {},
      map: (answer) => answer,
      evaluate: () => undefined,
      statusOf: () => 200,
      release: () => {},
    });
    await expect(sending).rejects.toBe(gone);
  });
});

describe('the request timeout', () => {
  test('covers a check that does not end, and drops its answer', async () => {
    let released = 0;
    const sent = await play([{ status: 200 }], retry({ maxRetries: 0 }), {
      settings: { retry: retry({ maxRetries: 0 }), requestTimeoutMs: 20 },
      evaluate: () => new Promise(() => {}),
      statusOf: () => 200,
      release: () => {
        released += 1;
      },
    });
    expect(sent).toMatchObject({ outcome: 'UPSTREAM_TIMEOUT', calls: 1 });
    expect(released).toBe(1);
  });

  test('covers a credential that does not come', async () => {
    const sent = await play([{ status: 200 }], retry({ maxRetries: 0 }), {
      settings: { retry: retry({ maxRetries: 0 }), requestTimeoutMs: 20 },
      request: () => new Promise(() => {}),
    });
    expect(sent).toMatchObject({ outcome: 'UPSTREAM_TIMEOUT', calls: 1 });
  });

  describe('of a relayed answer', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    /** What is running once the answer has begun, and after it was sent. */
    async function relayed(isEventStream: boolean) {
      const ends: (() => void)[] = [];
      const sent = await play([{ status: 200 }], retry({ maxRetries: 0 }), {
        settings: { retry: retry({ maxRetries: 0 }), requestTimeoutMs: 1_000 },
        isStream: () => true,
        isEventStream: () => isEventStream,
        atEnd: (task) => void ends.push(task),
      });
      expect(sent.outcome).toBe('stream');
      const whileSent = vi.getTimerCount();
      for (const end of ends) end();
      return [whileSent, vi.getTimerCount()];
    }

    test('ends with the last byte', async () => {
      expect(await relayed(false)).toEqual([1, 0]);
    });

    test('of events ends with the first of them', async () => {
      expect(await relayed(true)).toEqual([0, 0]);
    });
  });
});
