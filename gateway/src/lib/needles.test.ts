import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_COMPARED, MAX_HEAD, Needles } from './needles.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const NO_END = Number.MAX_SAFE_INTEGER;
const placesOf = (needles: readonly string[], text: string): (readonly [number, number])[] => {
  const { starts, ends } = new Needles(needles).find(latin1(text), NO_END);
  return starts.map((start, at) => [start, ends[at] ?? 0]);
};

/** By looking at each place for each needle. */
function expectedPlaces(needles: readonly string[], text: string): (readonly [number, number])[] {
  const isFound = Array<boolean>(text.length).fill(false);
  for (const needle of needles)
    for (let at = 0; at <= text.length - needle.length; at += 1)
      if (text.startsWith(needle, at)) isFound.fill(true, at, at + needle.length);
  const places: [number, number][] = [];
  for (const [at, isIn] of isFound.entries()) {
    const last = places.at(-1);
    if (!isIn) continue;
    if (last?.[1] === at) last[1] = at + 1;
    else places.push([at, at + 1]);
  }
  return places;
}

const letters = (of: string, length: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(...of), ...length });

describe('needles are found', () => {
  test.for<[what: string, needles: string[], text: string, want: [number, number][]]>([
    ['alone', ['she', 'he', 'hers'], 'ushers', [[1, 6]]],
    [
      'within another one',
      ['abcd', 'bc'],
      'abcx abcd',
      [
        [1, 3],
        [5, 9],
      ],
    ],
    ['that begin as one that does not stand there', ['aaab', 'aac'], 'aaac', [[1, 4]]],
    ['overlapping', ['abab'], 'xababab', [[1, 7]]],
    [
      'one behind the other',
      ['ab', 'cd'],
      'abcd ab',
      [
        [0, 4],
        [5, 7],
      ],
    ],
    ['of all bytes', ['\u0000\u00ff', '\u00ff\u00ff'], 'a\u0000\u00ff\u00ff', [[1, 4]]],
    ['unless they are one character', ['a', ''], 'aaa', []],
    ['unless there are none', [], 'aaa', []],
  ])('%s', ([, needles, text, want]) => {
    expect(placesOf(needles, text)).toEqual(want);
    expect(new Needles(needles).areIn(latin1(text))).toBe(want.length > 0);
  });

  test('as looking at each place finds them', () => {
    const needles = fc.array(letters('ab', { minLength: 2, maxLength: 9 }), { maxLength: 6 });
    fc.assert(
      fc.property(needles, letters('abc', { minLength: 0, maxLength: 60 }), (given, text) => {
        expect(placesOf(given, text)).toEqual(expectedPlaces(given, text));
        expect(new Needles(given).areIn(latin1(text))).toBe(expectedPlaces(given, text).length > 0);
      }),
      { numRuns: 1_000 },
    );
  });

  test('where they are longer than the automaton', () => {
    const head = 'h'.repeat(MAX_HEAD);
    const tails = fc.array(letters('hi', { minLength: 0, maxLength: 6 }), { minLength: 1, maxLength: 4 });
    const short = letters('hi', { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(tails, short, letters('hi', { minLength: 0, maxLength: 12 }), (given, other, end) => {
        const needles = [...given.map((tail) => head + tail), other];
        const text = `i${head}${end}`;
        expect(placesOf(needles, text)).toEqual(expectedPlaces(needles, text));
      }),
    );
  });
});

test('a long needle whose end is another one is not found', () => {
  const begin = Array.from({ length: 150 }, (_, at) => at).join('-');
  const text = `${begin}y ${begin}x`;
  expect(placesOf([`${begin}x`], text)).toEqual([[begin.length + 2, text.length]]);
});

describe('the work is a few steps per byte', () => {
  const LENGTH = 20_000;
  const sixteen = (make: (at: number) => string): string[] => Array.from({ length: 16 }, (_, at) => make(at));

  test.for<[what: string, needles: string[], text: string]>([
    ['of one letter', sixteen((at) => 'a'.repeat(16 + at)), 'a'],
    ['that end in another letter', sixteen((at) => `${'a'.repeat(40 + at)}b`), 'a'],
    ['that begin with another letter', sixteen((at) => `b${'a'.repeat(40 + at)}`), 'a'],
    ['with another letter within', sixteen((at) => `${'a'.repeat(24 + at)}b${'a'.repeat(24)}`), 'a'],
    ['that begin as the text repeats', sixteen((at) => `${'ab'.repeat(16 + at)}c`), 'ab'],
    ['each a part of the next', sixteen((at) => `${'a'.repeat(at + 2)}b${'a'.repeat(at + 2)}`), 'aab'],
  ])('%s', ([, needles, unit]) => {
    const text = latin1(unit.repeat(LENGTH / unit.length));
    expect(new Needles(needles).find(text, NO_END).work).toBeLessThanOrEqual(2 * LENGTH);
  });

  test('where long ones nearly stand everywhere', () => {
    const needles = sixteen((at) => `${'a'.repeat(900 + at)}b`);
    const { work, found } = new Needles(needles).find(latin1('a'.repeat(LENGTH)), NO_END);
    expect(work).toBeLessThanOrEqual((2 + MAX_COMPARED) * LENGTH + 1_000);
    expect(found).toBe(NO_END); // it gave up
  });

  test('also where long ones begin as much of the text does and go on in another way', () => {
    const [head, tail] = ['h'.repeat(MAX_HEAD), 't'.repeat(16_000)];
    const text = `${head}${'x'.repeat(100)}`.repeat(100) + head + tail;
    const places = new Needles([head + tail]).find(latin1(text), NO_END);
    expect([places.starts, places.ends]).toEqual([[text.length - 16_000 - MAX_HEAD], [text.length]]);
    expect(places.work).toBeLessThanOrEqual(4 * text.length);
  });

  test('and ends when enough were found', () => {
    const { work, found } = new Needles(['aa']).find(latin1('a'.repeat(LENGTH)), 100);
    expect([found, work]).toEqual([100, expect.any(Number)]);
  });

  test('where much of what is looked for begins in the same way', () => {
    const needles = Array.from({ length: 2_000 }, (_, at) => `secret-${at}`);
    const text = latin1(needles.join(' '));
    const found = new Needles(needles).find(text, NO_END);
    expect(found.starts).toHaveLength(2_000);
    expect(found.work).toBeLessThanOrEqual(2 * text.length);
  });
});
