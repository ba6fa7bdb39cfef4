import { describe, expect, test } from 'vitest';
import { compileAccountPrices, createCatalogue, createPriceBook } from '../cost/index.ts';
import { AppError } from '../errors/index.ts';
import { readUsage } from '../usage/index.ts';
import {
  type AttemptFacts,
  createRecorder,
  type FinishedRequest,
  NO_GUARDRAILS,
  NO_VERDICTS,
  type PipelineFacts,
  type RequestRecord,
  type Sink,
} from './index.ts';

const ANSWER = Buffer.from('{"model":"m-1","usage":{"prompt_tokens":3,"completion_tokens":4}}');

const prices = createPriceBook(
  new Map(),
  createCatalogue(() => 0),
);

const attempt = (over: Partial<AttemptFacts> = {}): AttemptFacts => ({
  provider: 'openai',
  model: 'm',
  answeredModel: undefined,
  droppedParams: [],
  status: 200,
  error: undefined,
  cache: 'MISS',
  calls: 1,
  startedAtMs: 0,
  durationMs: 5,
  upstreamMs: 4,
  usage: undefined,
  prices: undefined,
  cost: undefined,
  ...over,
});

interface Given {
  readonly facts?: Partial<PipelineFacts>;
  readonly status?: number;
  readonly method?: string;
  readonly body?: FinishedRequest['answer']['body'];
  readonly sent?: Partial<FinishedRequest['sent']>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly trace?: Partial<FinishedRequest['exchange']['trace']>;
}

function finished({
  facts = {},
  status = 200,
  method = 'POST',
  body,
  sent,
  headers = {},
  trace,
}: Given = {}): FinishedRequest {
  const attempts = facts.attempts ?? [attempt()];
  const startedMs = performance.now() - 10;
  return {
    exchange: {
      operation: { id: 'chatComplete', generates: 'text' },
      request: {
        method,
        path: '/v1/chat/completions',
        header: (name) => headers[name],
        headers: () => Object.entries(headers),
      },
      snapshot: { version: 7, organisation: { headersToMask: ['x-organisation'] }, prices },
      startedMs,
      trace: { traceId: 't', spanId: undefined, parentSpanId: undefined, spanName: undefined, ...trace },
    },
    answer: {
      status,
      body: body ?? { kind: 'bytes', bytes: ANSWER },
      facts: {
        caller: { keyId: 'k1', key: 'app', user: undefined, workspace: 'team' },
        metadata: {},
        requestBytes: 12,
        route: { config: 'c', mode: 'fallback', optionPath: 'config.targets[0]' },
        decisions: {
          cache: 'MISS',
          retries: 0,
          attemptsExhausted: false,
          limits: NO_VERDICTS,
          guardrails: NO_GUARDRAILS,
        },
        attempts,
        answeredBy: attempts.at(-1),
        stream: false,
        error: undefined,
        ...facts,
      },
    },
    sent: { firstByteMs: startedMs + 6, bytes: ANSWER.length, error: undefined, ...sent },
  };
}

/** A sink that keeps what it gets. */
function keeper(more: Partial<Sink> = {}) {
  const records: RequestRecord[] = [];
  const sink: Sink = { name: 'keeper', readsUsage: true, record: (record) => void records.push(record), ...more };
  return { records, sink };
}

function recordOf(given?: Given, more?: Partial<Sink>): RequestRecord {
  const { records, sink } = keeper(more);
  createRecorder({ sinks: [sink], onSinkError: () => {} }).finish(finished(given));
  const [record] = records;
  if (record === undefined) throw new Error('nothing was recorded');
  return record;
}

describe('the record of a request', () => {
  test('holds what pipeline and server know of it', () => {
    expect(recordOf()).toMatchObject({
      request: { method: 'POST', operation: 'chatComplete', bytes: 12, startedAtMs: expect.any(Number) },
      caller: { keyId: 'k1', key: 'app', workspace: 'team' },
      route: { config: 'c', mode: 'fallback', optionPath: 'config.targets[0]' },
      decisions: { cache: 'MISS', attemptsExhausted: false, limits: NO_VERDICTS, guardrails: [] },
      answer: { status: 200, bytes: ANSWER.length, firstByteMs: expect.closeTo(6), snapshot: 7, error: undefined },
    });
  });

  test('has the usage and the model of the answer at the attempt that made it', () => {
    const failed = attempt({ provider: 'anthropic', status: 500 });
    const made = attempt();
    const { attempts, answeredBy } = recordOf({ facts: { attempts: [failed, made], answeredBy: made } });
    expect(attempts).toEqual([
      failed,
      {
        ...made,
        answeredModel: 'm-1',
        usage: expect.objectContaining({ input: 3, output: 4 }),
        cost: { nanoDollars: 0, unpriced: true, estimated: false },
      },
    ]);
    expect(attempts[1]).toBe(answeredBy);
  });

  test('has the usage that the transform of a stream reports', () => {
    const usage = readUsage({ prompt_tokens: 1 });
    const body = { kind: 'stream', transform: { report: () => ({ usage, model: 'm-2' }) } } as const;
    expect(recordOf({ body }).answeredBy).toMatchObject({ usage, answeredModel: 'm-2' });
  });

  test('has the cost of the answer, at the price of what was asked for', () => {
    const made = attempt({ model: 'gpt-4o' });
    expect(recordOf({ facts: { attempts: [made] } }).answeredBy?.cost).toEqual({
      nanoDollars: 3 * 2500 + 4 * 10_000,
      unpriced: false,
      estimated: false,
      source: 'catalogue',
    });
  });

  test('has the cost at the prices of the account', () => {
    const own = compileAccountPrices({ prices: { m: { request: '1', response: '2' } } });
    const { cost } = recordOf({ facts: { attempts: [attempt({ prices: own })] } }).answeredBy ?? {};
    expect(cost?.nanoDollars).toBe(3 * 1000 + 4 * 2000);
  });

  test('has an estimate of a stream that was cut', () => {
    const sample = 'data: {"choices":[{"delta":{"content":"abcdefgh"}}]}\n\n';
    const transform = { report: () => ({ usage: undefined, model: undefined }), sample: () => sample };
    const { answeredBy } = recordOf({
      facts: { attempts: [attempt({ model: 'gpt-4o' })] },
      body: { kind: 'stream', transform },
      sent: { bytes: sample.length * 10, error: new AppError('CLIENT_CLOSED') },
    });
    expect(answeredBy?.usage).toMatchObject({ input: 3, output: 20 });
    expect(answeredBy?.cost).toEqual({
      nanoDollars: 3 * 2500 + 20 * 10_000,
      unpriced: false,
      estimated: true,
      source: 'catalogue',
    });
  });

  test('has the input of a stream that was cut before its first event', () => {
    const transform = { report: () => ({ usage: undefined, model: undefined }) };
    const { answeredBy } = recordOf({
      body: { kind: 'stream', transform },
      sent: { error: new AppError('CLIENT_CLOSED') },
    });
    expect(answeredBy?.usage).toMatchObject({ input: 3, output: 0 });
  });

  test('survives a stream whose transform has failed', () => {
    const report = (): never => {
      throw new TypeError('bug');
    };
    expect(recordOf({ body: { kind: 'stream', transform: { report } } }).answeredBy?.usage).toBeUndefined();
  });

  test.for<{ rule: string; given: Given; more?: Partial<Sink> }>([
    { rule: 'of an error', given: { status: 400 } },
    { rule: 'of what an earlier call has made', given: { method: 'GET' } },
    { rule: 'of a cache hit', given: { facts: { answeredBy: attempt({ cache: 'HIT' }) } } },
    { rule: 'of a target without provider', given: { facts: { answeredBy: attempt({ provider: undefined }) } } },
    { rule: 'of a stream in an unknown format', given: { body: { kind: 'stream', transform: undefined } } },
    { rule: 'that no sink reads', given: {}, more: { readsUsage: undefined as never } },
  ])('has no usage $rule', ({ given, more }) => {
    expect(recordOf(given, more).answeredBy?.usage).toBeUndefined();
  });

  test('has status 499 when the client left, and the error that ended the answer', () => {
    const error = new AppError('CLIENT_CLOSED');
    const own = new AppError('UPSTREAM_TIMEOUT');
    expect(recordOf({ sent: { error }, facts: { error: own } }).answer).toMatchObject({ status: 499, error });
    expect(recordOf({ facts: { error: own } }).answer).toMatchObject({ status: 200, error: own });
  });

  test('names the headers that organisation and request want masked', () => {
    const { request } = recordOf({ headers: { 'x-gw-sensitive-headers': 'X-Own, x-more', 'x-own': 'v' } });
    const names = request.sensitiveHeaders();
    expect(['x-organisation', 'x-own', 'x-more', 'x-other'].map((name) => names.has(name))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect([...request.headers()]).toContainEqual(['x-own', 'v']);
  });

  test('names the headers of the gateway as they are, whatever prefix the lists use', () => {
    const { records, sink } = keeper();
    const headers = { 'x-gw-sensitive-headers': 'X-Acme-Metadata, x-own' };
    createRecorder({ sinks: [sink], headerAliases: ['x-acme-'], onSinkError: () => {} }).finish(finished({ headers }));
    const names = records[0]?.request.sensitiveHeaders();
    expect(['x-organisation', 'x-gw-metadata', 'x-own'].map((name) => names?.has(name))).toEqual([true, true, true]);
  });

  test('bounds metadata and spans, which come from clients', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`name-${at}`, 'v']));
    const metadata = { long: 'x'.repeat(1_000), count: 5, nested: { a: [1] }, nothing: null, ...many };
    const { request } = recordOf({
      facts: { metadata },
      trace: { spanName: 's'.repeat(5_000), parentSpanId: 'p'.repeat(5_000) },
    });
    expect(Object.keys(request.metadata)).toHaveLength(64);
    expect(request.metadata).toMatchObject({ count: '5', nested: '{"a":[1]}', nothing: 'null', 'name-0': 'v' });
    expect(request.metadata['long']).toHaveLength(128);
    expect(request.trace.spanName).toHaveLength(256);
    expect(request.trace.parentSpanId).toHaveLength(256);
  });

  test('has metadata of any name', () => {
    const metadata = JSON.parse('{"__proto__":"x"}');
    expect(Object.entries(recordOf({ facts: { metadata } }).request.metadata)).toEqual([['__proto__', 'x']]);
  });
});

test('a record that cannot be made is reported, and the request is not disturbed', () => {
  const failures: object[] = [];
  const recorder = createRecorder({ sinks: [], onSinkError: (failure) => void failures.push(failure) });
  const broken = { ...finished(), sent: undefined as never }; // what only a bug brings about
  expect(() => recorder.finish(broken)).not.toThrow();
  expect(failures).toMatchObject([{ sink: 'record', first: true }]);
});

describe('a sink that fails', () => {
  const broken: Sink = {
    name: 'broken',
    record: () => {
      throw new TypeError('bug');
    },
    needsStreamUsage: () => {
      throw new TypeError('bug');
    },
  };
  const question = { operation: 'o', caller: finished().answer.facts.caller as never, provider: 'p', model: 'm' };

  test('disturbs no other sink, and is reported', () => {
    const { records, sink } = keeper();
    const failures: object[] = [];
    const recorder = createRecorder({ sinks: [broken, sink], onSinkError: (failure) => void failures.push(failure) });
    recorder.finish(finished());
    recorder.finish(finished());
    expect(records).toHaveLength(2);
    expect(failures).toMatchObject([
      { sink: 'broken', first: true },
      { sink: 'broken', first: false },
    ]);
  });

  test('keeps no other sink from guardrails that ran after the answer', () => {
    const got: unknown[] = [];
    const failures: object[] = [];
    const deaf: Sink = { ...broken, watched: () => broken.record(undefined as never) };
    const sinks = [deaf, keeper().sink, keeper({ watched: (watched) => void got.push(watched) }).sink];
    const { trace } = finished().exchange;
    const caller = { keyId: 'key/team-a/main', key: 'main', user: undefined, workspace: 'team-a' };
    const watched = { trace, caller, headers: () => [], guardrails: [] };
    createRecorder({ sinks, onSinkError: (failure) => void failures.push(failure) }).watched(watched);
    expect(got).toEqual([watched]);
    expect(failures).toMatchObject([{ sink: 'broken', first: true }]);
  });

  test('does not throw when the report of a failed sink throws', () => {
    const onSinkError = (): never => {
      throw new Error('disk full');
    };
    expect(() => createRecorder({ sinks: [broken], onSinkError }).finish(finished())).not.toThrow();
  });

  test('needs nothing', () => {
    const wanting = keeper({ needsStreamUsage: ({ provider }) => provider === 'p' }).sink;
    const asks = (...sinks: Sink[]) => createRecorder({ sinks, onSinkError: () => {} }).needsStreamUsage(question);
    expect(asks(broken)).toBe(false);
    expect(asks(broken, wanting)).toBe(true);
    expect(asks(keeper().sink)).toBe(false);
  });
});

test('what clients run on is read for a sink that reads it, and for no other', () => {
  const headers = { 'x-stainless-runtime': 'node', 'user-agent': 'curl/8.5.0' };
  expect(recordOf({ headers }, { readsClient: true }).request.client).toEqual({
    runtime: 'node',
    runtimeVersion: undefined,
    sdk: 'curl/8.5.0',
  });
  expect(recordOf({ headers }).request.client).toBeUndefined();
});
