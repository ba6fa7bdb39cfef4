import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Tail } from './tail.ts';

const KIB = 1_024;

function tailOf(pieces: readonly Buffer[]): string {
  const tail = new Tail();
  for (const piece of pieces) tail.push(piece);
  return tail.text();
}

describe('the tail of a stream', () => {
  test.for([
    { rule: 'the whole of a short one', sizes: [100, 200, 300], want: 600 },
    { rule: '4 KiB of small pieces', sizes: Array.from({ length: 100 }, () => 100), want: 4 * KIB },
    { rule: '16 KiB of larger ones', sizes: Array.from({ length: 100 }, () => 2 * KIB), want: 16 * KIB },
    { rule: '16 KiB of one larger than that', sizes: [10, 40 * KIB], want: 16 * KIB },
  ])('is $rule', ({ sizes, want }) => {
    expect(tailOf(sizes.map((size) => Buffer.alloc(size, 'x')))).toHaveLength(want);
  });

  test('is the end of the stream, with its last four pieces as far as 16 KiB go', () => {
    const size = fc.oneof(fc.nat(200), fc.nat(2 * KIB), fc.nat(20 * KIB));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 40 }), (sizes) => {
        let at = 0;
        const pieces = sizes.map((length) => Buffer.from(Array.from({ length }, () => at++ % 251)));
        const text = tailOf(pieces);
        const whole = Buffer.concat(pieces).toString('latin1');
        expect(whole.endsWith(text)).toBe(true);
        const lastFour = Buffer.concat(pieces.slice(-4)).length;
        expect(text.length).toBeGreaterThanOrEqual(Math.min(lastFour, 16 * KIB));
        expect(text.length).toBeLessThanOrEqual(16 * KIB);
      }),
      { numRuns: 300 },
    );
  });
});
