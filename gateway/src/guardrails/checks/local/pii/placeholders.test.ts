import { expect, test } from 'vitest';
import { MAX_WORK_MS, runCheck, subjectOf, watchCheck } from '../../../testing.ts';
import { Findings } from './overlaps.ts';
import { createPlaceholders, MAX_VALUES, takenNumbers } from './placeholders.ts';

const turn = () => Promise.resolve();
const REDACT = { categories: ['EMAIL_ADDRESS'], redact: true };
const addresses = (count: number): string => Array.from({ length: count }, (_, i) => `a${i}@b.co`).join(' ');
const inText = (content: string) => ({ request: { messages: [{ role: 'user', content }] } });

test('numbers that occur anywhere are taken, those that are never reached are not kept', async () => {
  const body = { '[SSN_3]': ['[SSN_1][SSN_1] [IBAN_2', { deep: '[IBAN_2]' }, 7, null], other: '[SSN_999999999] [X_1]' };
  expect(await takenNumbers(body, turn)).toEqual(
    new Map([
      ['SSN', new Set([3, 1])],
      ['IBAN', new Set([2])],
    ]),
  );
});

test('beyond a number of values one placeholder stands for all others', () => {
  const placeholders = createPlaceholders(new Map([['SSN', new Set([1])]]));
  for (let i = 0; i < MAX_VALUES; i += 1) placeholders.of('SSN', `value ${i}`);
  expect(placeholders.isFull).toBe(false);
  expect(placeholders.of('SSN', 'one more')).toBe('[SSN]');
  expect(placeholders.of('SSN', 'value 0')).toBe('[SSN_2]');
  expect([placeholders.isFull, placeholders.values.size]).toEqual([true, MAX_VALUES]);
});

test('a request that leaves no number gets placeholders without one', () => {
  const all = new Set(Array.from({ length: 2 * MAX_VALUES }, (_, i) => i + 1));
  const placeholders = createPlaceholders(new Map([['SSN', all]]));
  expect([placeholders.of('SSN', 'x'), placeholders.isFull]).toEqual(['[SSN]', true]);
});

test('what cannot be restored is replaced all the same, and said', async () => {
  const text = addresses(MAX_VALUES + 1);
  const restoring = await runCheck('default.pii', { ...REDACT, restore: true }, subjectOf([text], inText(text)));
  expect(restoring).toMatchObject({ verdict: false, error: { name: 'TooManyValues' } });
  const { transformed } = restoring;
  if (transformed?.kind !== 'parts') throw new Error('nothing was redacted');
  expect(transformed.parts[0]).toMatch(/\[EMAIL_ADDRESS_10000\] \[EMAIL_ADDRESS\]$/);
  expect(transformed.restore?.size).toBe(MAX_VALUES);
  const redacting = await runCheck('default.pii', REDACT, subjectOf([text], inText(text)));
  expect(redacting).toMatchObject({ verdict: true, transformed: { parts: transformed.parts } });
});

test('a request full of placeholders is looked through in slices', { timeout: 60_000 }, async () => {
  const full = Array.from({ length: 600_000 }, (_, i) => `[EMAIL_ADDRESS_${i}]`).join('');
  const { most } = await watchCheck('default.pii', REDACT, subjectOf(['a@b.co'], inText(full)));
  expect(most).toBeLessThan(MAX_WORK_MS);
});

test('findings are joined and in order, whatever order they come in', () => {
  const found = new Findings();
  found.add({ category: 'PHONE_NUMBER', start: 10, end: 14 });
  found.add({ category: 'SSN', start: 20, end: 24 });
  found.add({ category: 'EMAIL_ADDRESS', start: 2, end: 5 });
  found.add({ category: 'IBAN', start: 12, end: 21 });
  expect(found.list).toEqual([
    { category: 'EMAIL_ADDRESS', start: 2, end: 5 },
    { category: 'IBAN', start: 10, end: 24 },
  ]);
});
