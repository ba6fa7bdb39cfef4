import { LOG_COLUMNS } from '@gatehouse/crds/logs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { sampleAttempt, sampleGuardrail, sampleRecord } from '../../record/testing.ts';
import { rowsOf } from './rows.ts';

const OPTIONS = { gatewayVersion: '0.1.0' };
const UUID = /^[0-9a-f-]{36}$/;

test('a request has one row for each target, and the last one is what its client got', () => {
  const failed = sampleAttempt({
    ...{ target: 'config.targets[0]', account: 'first', status: 503, usage: undefined, cost: undefined },
    error: new AppError('UPSTREAM_TIMEOUT'),
    calls: 3,
  });
  const good = sampleAttempt({ target: 'config.targets[1]', account: 'second' });
  const rows = rowsOf(sampleRecord({ attempts: [failed, good] }), OPTIONS);
  expect(
    rows.map(({ attempt, is_final, account, target_index }) => [attempt, is_final, account, target_index]),
  ).toEqual([
    [0, false, 'first', 0],
    [1, true, 'second', 1],
  ]);
  expect(rows[0]).toMatchObject({
    status: 503,
    error: 'UPSTREAM_TIMEOUT',
    retries: 2,
    cost_nano: null,
    total_tokens: 0,
  });
  expect(rows[1]).toMatchObject({ status: 200, error: null, cost_nano: 2_500, input_tokens: 3, output_tokens: 4 });
  expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(1);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  for (const { id, request_id } of rows)
    expect([id, request_id]).toEqual([expect.stringMatching(UUID), expect.anything()]);
});

test('a row has every column and no other', () => {
  const columns = Object.keys(LOG_COLUMNS).sort();
  const none = rowsOf(sampleRecord({ attempts: [] }), OPTIONS);
  for (const row of [...rowsOf(sampleRecord(), OPTIONS), ...none]) expect(Object.keys(row).sort()).toEqual(columns);
});

test('a request that was refused before a target was tried has a row of its own', () => {
  const error = new AppError('KEY_RATE_LIMITED');
  const [row, ...others] = rowsOf(sampleRecord({ attempts: [], answer: { status: 429, error } }), OPTIONS);
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    status: 429,
    error: 'KEY_RATE_LIMITED',
    is_final: true,
    provider: null,
    decision: { calls: 0 },
  });
});

test('a request whose caller is not known has none', () => {
  expect(rowsOf({ ...sampleRecord(), caller: undefined }, OPTIONS)).toEqual([]);
});

test('whom a request is for is said by its metadata, else by its body', () => {
  const userOf = (request: object) => rowsOf(sampleRecord({ request }), OPTIONS)[0]?.end_user;
  expect(userOf({ metadata: { _user: 'ada' }, user: 'bob' })).toBe('ada');
  expect(userOf({ metadata: {}, user: 'bob' })).toBe('bob');
  expect(userOf({ metadata: {} })).toBeNull();
});

test('the last byte of a stream is later than its first', () => {
  const attempt = sampleAttempt({ startedAtMs: 11, durationMs: 5 });
  const [row] = rowsOf(sampleRecord({ attempts: [attempt], answer: { stream: true, durationMs: 100 } }), OPTIONS);
  expect(row).toMatchObject({ created_at: 11, response_ms: 5, last_byte_ms: 90, is_stream: true });
});

test('a decision says what guardrails of the target and limits said', () => {
  const denial = sampleGuardrail({
    ...{ target: 'config.targets[1]', verdict: false, denied: true },
    checks: [
      { id: 'default.contains', verdict: false, error: undefined, transformed: false, durationMs: 1 },
      { id: 'default.webhook', verdict: false, error: 'TIMEOUT', transformed: false, durationMs: 1 },
    ],
  });
  const other = sampleGuardrail({ target: 'config.targets[0]' });
  const watching = sampleGuardrail({ target: 'config.targets[0]', denied: true, mode: 'monitor' });
  const attempts = ['config.targets[0]', 'config.targets[1]'].map((target) => sampleAttempt({ target }));
  const limits = { verdicts: () => [{ id: 'key/a', passed: true }] };
  const record = sampleRecord({ attempts, decisions: { guardrails: [other, denial, watching], limits } });
  const [first, second] = rowsOf(record, OPTIONS);
  expect([first?.is_denied, second?.is_denied]).toEqual([false, true]);
  expect(second?.decision).toMatchObject({
    limits: [{ id: 'key/a', passed: true }],
    guardrails: [{ id: 'no-cards', denied: true, failed: ['default.contains'], errored: ['default.webhook'] }],
  });
});

test('cost and tokens of the rows are those of the attempts, and one row is final', () => {
  const attempts = fc.array(fc.record({ nanoDollars: fc.nat(), status: fc.constantFrom(200, 500), calls: fc.nat(5) }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(attempts, (given) => {
      const made = given.map(({ nanoDollars, ...rest }) =>
        sampleAttempt({ ...rest, cost: { nanoDollars, unpriced: false, estimated: false } }),
      );
      const rows = rowsOf(sampleRecord({ attempts: made }), OPTIONS);
      const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
      expect(sum(rows.map(({ cost_nano }) => cost_nano ?? 0))).toBe(sum(given.map(({ nanoDollars }) => nanoDollars)));
      expect(rows.filter(({ is_final }) => is_final)).toHaveLength(1);
    }),
  );
});
