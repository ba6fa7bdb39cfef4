import { LOG_COLUMNS, type LogRow } from '@gatehouse/crds/logs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import type { RequestRecord } from '../../record/index.ts';
import { sampleAttempt, sampleGuardrail, sampleRecord } from '../../record/testing.ts';
import { NO_USAGE } from '../../usage/index.ts';
import { rowsOf } from './rows.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const rows = (record: RequestRecord) => rowsOf(record, { gatewayVersion: '1.2.3' });

test('the row of a good answer has names, times, tokens and cost', () => {
  const attempt = sampleAttempt({
    ...{ account: 'main', target: 'config.targets[2]', retries: 1, startedAtMs: 1_700_000_000_000.75 },
    parts: { cacheMs: 0.2501, mappingMs: 0.1249 },
    cost: { nanoDollars: 2_500, unpriced: false, estimated: true, source: 'catalogue' },
  });
  const record = sampleRecord({
    attempts: [attempt],
    request: {
      metadata: { team: 'a', _environment: 'test' },
      ...{
        startedAtMs: 1_699_999_999_996.015,
        parsingMs: 1.235,
        client: { runtime: 'node', runtimeVersion: 'v22.4.0', sdk: '5.1.0' },
      },
    },
  });
  const route = { ...record.route, configVersion: 'v9', configGeneration: 4, prompt: 'hello@3' };
  expect(rows({ ...record, route })).toEqual([
    {
      id: expect.stringMatching(UUID),
      created_at: 1_700_000_000_000,
      workspace: 'team-a',
      trace_id: 't',
      request_id: expect.stringMatching(UUID),
      span_id: 's',
      parent_span_id: 'p',
      span_name: 'chat',
      api_key: 'k',
      api_key_name: 'app',
      key_user: null,
      end_user: null,
      environment: 'test',
      source: 'unified',
      operation: 'chatComplete',
      method: 'POST',
      url: '/v1/chat/completions',
      attempt: 0,
      is_final: true,
      status: 200,
      error: null,
      provider: 'openai',
      account: 'main',
      model: 'gpt',
      answered_model: 'gpt-2025',
      config: 'cheap',
      config_version: 'v9',
      mode: 'single',
      target: 'config.targets[2]',
      target_index: 2,
      prompt: 'hello',
      prompt_version: '3',
      is_stream: false,
      cache: null,
      retries: 1,
      fell_back: false,
      response_ms: 50.019,
      upstream_ms: 30.116,
      last_byte_ms: 50.019,
      gateway_ms: 19.903,
      input_tokens: 3,
      output_tokens: 4,
      total_tokens: 7,
      cached_tokens: 0,
      reasoning_tokens: 2,
      cost_nano: 2_500,
      is_estimated: true,
      is_unpriced: false,
      is_denied: false,
      metadata: { team: 'a', _environment: 'test' },
      decision: { config_generation: 4, calls: 1, price: 'catalogue', usage: {} },
      snapshot: 3,
      gateway_version: '1.2.3',
      document: 'none',
      runtime: 'node',
      runtime_version: 'v22.4.0',
      sdk_version: '5.1.0',
      request_parsing_ms: 1.235,
      pre_processing_ms: 3.5,
      cache_ms: 0.25,
      response_parsing_ms: 0.125,
    },
  ]);
});

describe('the rows of a request', () => {
  test('are one for each attempt, of which one is final', () => {
    const failed = sampleAttempt({ status: 503, error: new AppError('UPSTREAM_UNREACHABLE'), usage: undefined });
    const made = rows(sampleRecord({ attempts: [failed, sampleAttempt()], decisions: { attemptsExhausted: true } }));
    expect(made.map(({ attempt, is_final, status, error }) => ({ attempt, is_final, status, error }))).toEqual([
      { attempt: 0, is_final: false, status: 503, error: 'UPSTREAM_UNREACHABLE' },
      { attempt: 1, is_final: true, status: 200, error: null },
    ]);
    expect(made[0]?.request_id).toBe(made[1]?.request_id);
    expect(made[0]?.id).not.toBe(made[1]?.id);
    expect(made.map(({ decision }) => decision.attempts_exhausted)).toEqual([undefined, true]);
  });

  test('are one without a provider when no target was tried', () => {
    const answer = { status: 400, error: new AppError('BODY_NOT_JSON') };
    const record = { ...sampleRecord({ attempts: [], answer }), answeredBy: undefined };
    const wanted = { attempt: 0, is_final: true, status: 400, error: 'BODY_NOT_JSON', provider: null, cost_nano: null };
    expect(rows(record)).toEqual([expect.objectContaining({ ...wanted, decision: { calls: 0 } })]);
  });

  test('have one more when the attempts gave the client nothing', () => {
    const record = { ...sampleRecord({ answer: { status: 500 } }), answeredBy: undefined };
    const [tried, last] = rows(record);
    expect(tried).toMatchObject({ attempt: 0, is_final: false, provider: 'openai' });
    expect(last).toMatchObject({ attempt: 1, is_final: true, provider: null, status: 500, total_tokens: 0 });
  });

  test('are none when the caller is not known, or another gateway records the request', () => {
    expect(rows({ ...sampleRecord(), caller: undefined })).toEqual([]);
    expect(rows({ ...sampleRecord(), isPassedOn: true })).toEqual([]);
  });

  test('are final for nobody where the gateway has called for itself', () => {
    expect(rows({ ...sampleRecord(), isOwnCall: true })).toMatchObject([
      { attempt: 0, is_final: false, provider: 'openai' },
    ]);
    expect(rows({ ...sampleRecord({ attempts: [] }), isOwnCall: true })).toEqual([]);
  });

  test('name the operation of a call that the gateway made', () => {
    const made = rows(sampleRecord({ attempts: [sampleAttempt({ operation: 'embed' }), sampleAttempt()] }));
    expect(made.map(({ operation, target }) => [operation, target])).toEqual([
      ['embed', null],
      ['chatComplete', null],
    ]);
  });

  test.for([
    { operation: 'proxy', source: 'proxy' },
    { operation: 'realtime', source: 'realtime' },
    { operation: 'embed', source: 'unified' },
  ])('of $operation are $source', ({ operation, source }) => {
    expect(rows(sampleRecord({ request: { operation } }))).toEqual([expect.objectContaining({ source, operation })]);
  });

  test('of a stream have the time to its first byte', () => {
    const [row] = rows(sampleRecord({ answer: { stream: true } }));
    expect(row).toMatchObject({ is_stream: true, response_ms: 40.001, last_byte_ms: 50.019 });
  });

  test('of a client that left have its status', () => {
    const error = new AppError('CLIENT_CLOSED');
    expect(rows(sampleRecord({ answer: { status: 499, error } }))).toEqual([
      expect.objectContaining({ status: 499, error: 'CLIENT_CLOSED' }),
    ]);
  });

  test('say which guardrails looked at which target', () => {
    const first = sampleAttempt({ target: 'config.targets[0]', status: 446 });
    const second = sampleAttempt({ target: 'config.targets[1]' });
    const failed = { id: 'default.contains', verdict: false, error: undefined, transformed: false, durationMs: 1 };
    const broken = { ...failed, id: 'default.webhook', error: 'TimeoutError' };
    const guardrails = [
      sampleGuardrail({ target: 'config.targets[0]', verdict: false, denied: true, checks: [failed, broken] }),
      sampleGuardrail({ target: 'config.targets[1]', denied: true, mode: 'monitor', transformed: true }),
    ];
    const made = rows(sampleRecord({ attempts: [first, second], decisions: { guardrails } }));
    expect(made.map(({ is_denied, decision }) => [is_denied, decision.guardrails])).toEqual([
      [
        true,
        [
          {
            ...{ id: 'no-cards', phase: 'input', verdict: false, denied: true, ms: 1.5 },
            ...{ failed: ['default.contains'], errored: ['default.webhook'] },
          },
        ],
      ],
      [false, [{ id: 'no-cards', phase: 'input', verdict: true, transformed: true, ms: 1.5 }]],
    ]);
  });

  test('keep a bounded number of verdicts, in the last row', () => {
    const verdicts = Array.from({ length: 100 }, (_, index) => ({ id: `l${index}`, passed: index > 0 }));
    const attempts = [sampleAttempt(), sampleAttempt()];
    const [first, last] = rows(sampleRecord({ attempts, decisions: { limits: { verdicts: () => verdicts } } }));
    expect(first?.decision.limits).toBeUndefined();
    expect(last?.decision.limits).toHaveLength(64);
    expect(last?.decision.limits?.[0]).toEqual({ id: 'l0', passed: false });
  });
});

describe('the end user', () => {
  test.for([
    { metadata: { _user: 'of metadata' }, user: 'of body', want: 'of metadata' },
    { metadata: {}, user: 'of body', want: 'of body' },
    { metadata: {}, user: undefined, want: null },
  ])('is $want', ({ metadata, user, want }) => {
    expect(rows(sampleRecord({ request: { metadata, user } }))[0]?.end_user).toBe(want);
  });
});

describe('texts of clients', () => {
  test('whose names say that they are secrets are masked', () => {
    expect(rows(sampleRecord({ request: { metadata: { token: 'short' } } }))[0]?.metadata).toEqual({
      token: '[redacted]',
    });
  });

  test('are cut, and can be stored in any database', () => {
    const metadata = { a: 'x\u0000y', b: '\ud800z' };
    const [row] = rows(
      sampleRecord({
        attempts: [sampleAttempt({ model: 'm'.repeat(10_000) })],
        request: { metadata, path: `/v1/${'p'.repeat(10_000)}`, user: 'u'.repeat(10_000) },
      }),
    );
    expect(row?.metadata).toEqual({ a: 'xy', b: '\ufffdz' });
    expect([row?.model?.length, row?.url.length, row?.end_user?.length]).toEqual([256, 1_024, 128]);
  });
});

test('a row has every column and no other', () => {
  const columns = Object.keys(LOG_COLUMNS).sort();
  const none = rows({ ...sampleRecord({ attempts: [] }), answeredBy: undefined });
  for (const row of [...rows(sampleRecord()), ...none]) expect(Object.keys(row).sort()).toEqual(columns);
});

test('cost and tokens of the rows are those of the attempts, and one row is final', () => {
  const attempts = fc.array(fc.record({ nanoDollars: fc.nat(), status: fc.constantFrom(200, 500), calls: fc.nat(5) }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(attempts, fc.option(fc.nat(5)), (given, answering) => {
      const made = given.map(({ nanoDollars, ...rest }) =>
        sampleAttempt({ ...rest, cost: { nanoDollars, unpriced: false, estimated: false } }),
      );
      const answeredBy = answering === null ? undefined : made[answering];
      const all = rows({ ...sampleRecord({ attempts: made }), answeredBy });
      const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
      expect(sum(all.map(({ cost_nano }) => cost_nano ?? 0))).toBe(sum(given.map(({ nanoDollars }) => nanoDollars)));
      expect(sum(all.map(({ total_tokens }) => total_tokens))).toBe(7 * given.length);
      expect(all.filter(({ is_final }) => is_final)).toHaveLength(1);
      expect(all.map(({ attempt }) => attempt)).toEqual(all.map((_, index) => index));
    }),
  );
});

describe('an attempt that has read the rows of a batch', () => {
  const usageOf = (input: number) => ({ ...NO_USAGE, input, total: input });
  const share = (model: string | undefined, input: number) => ({
    ...{ model, usage: usageOf(input) },
    cost: { nanoDollars: input * 10, unpriced: model === undefined },
  });
  const attempt = sampleAttempt({
    ...{ model: undefined, answeredModel: undefined, usage: usageOf(111) },
    cost: { nanoDollars: 1_110, unpriced: true, estimated: false, source: undefined, isGiven: true },
    shares: [share('gpt-4o', 100), share('gpt-4o-mini', 10), share(undefined, 1)],
  });

  test('has a row without use, and one for each model', () => {
    const got = rows(sampleRecord({ attempts: [attempt] }));
    expect(got.map((row) => [row.model, row.answered_model, row.total_tokens, row.cost_nano, row.is_unpriced])).toEqual(
      [
        [null, null, 0, null, false],
        ['gpt-4o', 'gpt-4o', 100, 1_000, false],
        ['gpt-4o-mini', 'gpt-4o-mini', 10, 100, false],
        [null, null, 1, 10, true],
      ],
    );
    expect(got.map((row) => [row.is_final, row.attempt])).toEqual([
      [true, 0],
      [false, 0],
      [false, 0],
      [false, 0],
    ]);
    expect(got.map((row) => row.response_ms > 0)).toEqual([true, false, false, false]);
    expect(new Set(got.map(({ id }) => id)).size).toBe(4);
    expect(new Set(got.map(({ request_id }) => request_id)).size).toBe(1);
  });

  test('has the same rows each time that it is recorded, in any process, where it is recorded once', () => {
    const made = (name: string) =>
      rows({ ...sampleRecord({ attempts: [attempt] }), isOwnCall: true, once: { name, atMs: 1_234 } });
    const placeOf = ({ id, created_at, model }: LogRow) => ({ id, created_at, model });
    const got = made('batch-1').map(placeOf);
    expect(made('batch-1').map(placeOf)).toEqual(got);
    expect(got.map(({ created_at }) => created_at)).toEqual([1_234, 1_234, 1_234, 1_234]);
    expect(new Set([...got, ...made('batch-2')].map(({ id }) => id)).size).toBe(8);
  });

  test('has none that is final where the gateway has read them itself', () => {
    const got = rows({ ...sampleRecord({ attempts: [attempt] }), isOwnCall: true });
    expect(got.map((row) => [row.model, row.is_final])).toEqual([
      [null, false],
      ['gpt-4o', false],
      ['gpt-4o-mini', false],
      [null, false],
    ]);
  });
});
