import { expect, test } from 'vitest';
import { readJsonSpans } from './read-json.ts';

const list = (count: number, item: unknown): unknown[] => Array.from({ length: count }, () => item);
const spans = (...given: readonly object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans: given }] }] });
const valued = (value: unknown) => ({ attributes: [{ key: 'a', value }] });
const text = { stringValue: 'v' };
const listOf = (values: unknown[]) => ({ arrayValue: { values } });

function refusedBy(given: unknown): unknown {
  try {
    for (const read of readJsonSpans(given)) read();
  } catch (error) {
    const { code, detail } = error as { code?: unknown; detail?: unknown };
    return [code, String(detail).replace(/;.*/, '')];
  }
  return 'nothing';
}

test.for([
  ['resources', { resourceSpans: list(1_001, 7) }, 1_000],
  ['scopes', { resourceSpans: list(2, { scopeSpans: list(1_001, {}) }) }, 2_000],
  ['spans', { resourceSpans: [{ scopeSpans: [{ spans: list(2_001, 7) }] }] }, 2_000],
] as const)('too many %s are counted before one is looked at', ([what, given, most]) => {
  expect(refusedBy(given)).toEqual(['PARAMETER_INVALID', `There are more than ${most} ${what}`]);
});

test('what is beyond the parts of a span that are kept is not looked at', () => {
  const attributes = [...list(128, { key: 'a', value: text }), 7];
  const events = [...list(128, { name: 'e' }), 7];
  expect(refusedBy(spans({ attributes, events }))).toBe('nothing');
  expect(refusedBy(spans({ attributes: attributes.slice(1) }))).toEqual(['PARAMETER_INVALID', expect.any(String)]);
});

test('a list in a value has a bound, and so has all of a span', () => {
  const [read] = readJsonSpans(spans(valued(listOf(list(1_000, text)))));
  expect(read?.().attributes.get('a')).toHaveLength(128);
  const nested = listOf(list(100, listOf(list(100, text))));
  expect(refusedBy(spans(valued(nested)))).toEqual(['BODY_TOO_COMPLEX', expect.any(String)]);
  const half = listOf(list(50, listOf(list(100, text))));
  expect(refusedBy(spans(valued(half), valued(half), valued(half)))).toBe('nothing');
});
