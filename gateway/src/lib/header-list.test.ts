import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHeaderList } from './header-list.ts';

describe('a list of header names', () => {
  test.for([
    { text: 'a', want: ['a'] },
    { text: ' X-A , x-b', want: ['x-a', 'x-b'] },
    { text: '["X-A","x-b"]', want: ['x-a', 'x-b'] },
    { text: "['X-A', 'x-b']", want: ['x-a', 'x-b'] },
    { text: ' [ x-a ] ', want: ['x-a'] },
    { text: 'a,,b,', want: ['a', 'b'] },
    { text: '[]', want: [] },
    { text: '', want: [] },
  ])('$text', ({ text, want }) => {
    expect(parseHeaderList(text)).toEqual(want);
  });

  test('is bounded', () => {
    expect(parseHeaderList('a,'.repeat(5_000))).toHaveLength(64);
  });

  test('is lower case and has no empty names, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const name of parseHeaderList(text)) {
          expect(name).not.toBe('');
          expect(name).toBe(name.toLowerCase());
        }
      }),
    );
  });
});
