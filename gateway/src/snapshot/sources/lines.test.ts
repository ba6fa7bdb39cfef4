import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLines, readText } from './lines.ts';

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const linesOf = (text: string, size: number, maxBytes = 1_000): Promise<string[]> =>
  Array.fromAsync(readLines(pieces(Buffer.from(text), size), maxBytes));

describe('lines', () => {
  test.for([1, 2, 3, 5, 100])('are the same in pieces of %i bytes', async (size) => {
    expect(await linesOf('{"a":"äöü€"}\n\n{"b":"😀"}\nunfinished', size)).toEqual(['{"a":"äöü€"}', '{"b":"😀"}']);
  });

  test('come back however a text is cut', async () => {
    const anyLine = fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
        const text = lines.map((line) => `${line}\n`).join('');
        expect(await linesOf(text, size, 10_000)).toEqual(lines.filter((line) => line !== ''));
      }),
    );
  });

  test.for([
    { rule: 'in one piece', text: '12345\n', size: 10 },
    { rule: 'in several', text: '12345\n', size: 2 },
    { rule: 'without an end', text: '12345', size: 3 },
  ])('that are too long are refused $rule', async ({ text, size }) => {
    await expect(linesOf(text, size, 4)).rejects.toThrow(Error);
    expect(await linesOf('1234\n', size, 4)).toEqual(['1234']);
  });
});

test('a text is read up to its limit', async () => {
  expect(await readText(pieces(Buffer.from('äöü'), 1), 6)).toBe('äöü');
  await expect(readText(pieces(Buffer.from('äöü'), 1), 5)).rejects.toThrow(Error);
});
