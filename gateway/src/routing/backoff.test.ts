import { describe, expect, test } from 'vitest';
import { backoffMs, isRetryable, retryAfterMs } from './backoff.ts';

test('the back-off doubles from a second, and is over once a wait was honoured', () => {
  expect([1, 2, 3, 4, 5].map((k) => backoffMs(k, false))).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  expect([1, 5].map((k) => backoffMs(k, true))).toEqual([0, 0]);
});

test('a status is retried when it is listed', () => {
  const plan = { maxRetries: 1, statusCodes: new Set([503]), useRetryAfter: false };
  expect([503, 500].map((status) => isRetryable(plan, status))).toEqual([true, false]);
});

describe('the retry-after of a 429', () => {
  test.for<{
    rule: string;
    headers: Record<string, string | string[]>;
    waited?: number;
    want: number | 'stop' | undefined;
  }>([
    { rule: 'is in ms first', headers: { 'retry-after-ms': '7', 'retry-after': '9' }, want: 7 },
    { rule: 'is in ms of Azure next', headers: { 'x-ms-retry-after-ms': '8', 'retry-after': '9' }, want: 8 },
    { rule: 'is in seconds last', headers: { 'retry-after': ' 9 ' }, want: 9_000 },
    { rule: 'may be nothing at all', headers: { 'retry-after': '0' }, want: 0 },
    { rule: 'is not read from a date', headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, want: undefined },
    { rule: 'is not read from a fraction', headers: { 'retry-after': '1.5' }, want: undefined },
    { rule: 'is not read from a negative number', headers: { 'retry-after-ms': '-5' }, want: undefined },
    { rule: 'passes over what cannot be read', headers: { 'retry-after-ms': 'soon', 'retry-after': '1' }, want: 1_000 },
    { rule: 'is not read from a repeated header', headers: { 'retry-after': ['1', '2'] }, want: undefined },
    { rule: 'may be absent', headers: {}, want: undefined },
    { rule: 'may be a minute', headers: { 'retry-after': '60' }, want: 60_000 },
    { rule: 'may not be more', headers: { 'retry-after-ms': '60001' }, want: 'stop' },
    { rule: 'may not be absurd', headers: { 'retry-after': '9'.repeat(400) }, want: 'stop' },
    { rule: 'may add up to a minute', headers: { 'retry-after': '10' }, waited: 50_000, want: 10_000 },
    { rule: 'may not add up to more', headers: { 'retry-after': '10' }, waited: 50_001, want: 'stop' },
  ])('$rule', ({ headers, waited = 0, want }) => {
    expect(retryAfterMs(headers, waited)).toBe(want);
  });
});
