import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMistake, placeInText } from './json-mistake.ts';

test.for([
  { text: '{}', offset: 0, want: 'line 1, column 1' },
  { text: '{}', offset: 2, want: 'line 1, column 3' },
  { text: '{\n  x', offset: 4, want: 'line 2, column 3' },
  { text: '{\n', offset: 2, want: 'line 2, column 1' },
  { text: '{"ü": x', offset: 7, want: 'line 1, column 7' },
  { text: ' '.repeat(1024 * 1024), offset: 1024 * 1024, want: 'line 1, column 1048577' },
  { text: ' '.repeat(1024 * 1024 + 1), offset: 1024 * 1024 + 1, want: 'byte 1048578' },
])('the offset $offset is $want', ({ text, offset, want }) => {
  expect(placeInText(Buffer.from(text), offset)).toBe(want);
});

test.for([
  { text: '{"a": sk-secret}', want: 6 },
  { text: '{"a": 01}', want: 6 },
  { text: '{"a": tru}', want: 6 },
  { text: '{"a": 1.}', want: 6 },
  { text: '{"a": "b\\x"}', want: 6 },
  { text: '{"a": "\n"}', want: 6 },
  { text: `["${'a'.repeat(500_000)}", nul]`, want: 500_005 },
  { text: `[nul, "${'a'.repeat(1024 * 1024)}"]`, want: undefined },
])('the mistake of a text is at $want', ({ text, want }) => {
  expect(findMistake(text)).toBe(want);
});

test('JSON has no mistake', () => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (text, pretty) => {
      expect(findMistake(pretty ? JSON.stringify(JSON.parse(text), null, 2) : text)).toBeUndefined();
    }),
  );
});
