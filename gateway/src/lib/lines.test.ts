import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineTooLong, linesOf } from './lines.ts';

async function* pieces(text: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const places = [...new Set(cuts.map((at) => at % (text.length + 1)))].toSorted((a, b) => a - b);
  for (const [i, at] of [0, ...places].entries()) yield text.subarray(at, places[i] ?? text.length);
}

async function read(
  text: string,
  maxBytes = 100,
  cuts: readonly number[] = [],
  options?: Parameters<typeof linesOf>[2],
): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(pieces(Buffer.from(text), cuts), maxBytes, options)) lines.push(line.toString());
  return lines;
}

describe('lines', () => {
  test.for([
    { rule: 'end with a line feed', text: 'a\nb\n', want: ['a', 'b'] },
    { rule: 'may end with the text', text: 'a\nb', want: ['a', 'b'] },
    { rule: 'may end with a carriage return before it', text: 'a\r\nb\r\n', want: ['a', 'b'] },
    { rule: 'may be empty', text: '\n\na', want: ['', '', 'a'] },
    { rule: 'hold other separators', text: 'a\u2028b\rc\n', want: ['a\u2028b\rc'] },
    { rule: 'are none in nothing', text: '', want: [] },
  ])('$rule', async ({ text, want }) => {
    expect(await read(text)).toEqual(want);
  });

  test('are the same however the bytes are cut', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ü', '\n', '\r', '\u2028'), maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 10 }), async (given, cuts) => {
        expect(await read(given, 1_000, cuts)).toEqual(await read(given, 1_000));
      }),
    );
  });

  test('are refused beyond their limit, by number, before their end has arrived', async () => {
    expect(await read('12345\n12345', 5)).toEqual(['12345', '12345']);
    for (const text of ['1\n123456\n', '1\n123456']) {
      await expect(read(text, 5, [3, 5])).rejects.toEqual(new LineTooLong(2));
    }
  });

  test.for([
    { text: '123456\n1\n', want: ['1'] },
    { text: '1\n123456', want: ['1'] },
    { text: '1\n1234567890\n\n12345', want: ['1', '', '12345'] },
  ])('are left out beyond their limit where that is asked for: $text', async ({ text, want }) => {
    for (const cuts of [[], [3, 5], [1, 2, 3, 4, 5, 6, 7, 8]]) {
      expect(await read(text, 5, cuts, { leavesOutLong: true })).toEqual(want);
    }
  });
});
