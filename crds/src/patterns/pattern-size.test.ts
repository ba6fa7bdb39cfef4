import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { MAX_PATTERN_SIZE } from './pattern.ts';
import { estimatePatternSize } from './pattern-size.ts';

/** As many numbers as a class may hold per step: each costs fractions of a microsecond. */
const NUMBERS_PER_STEP = 64;

/** The size of the compiled program; undefined when RE2 refuses the pattern. */
function compiledSize(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}

/** The numbers that the classes of the compiled program hold: what compiling it costs beside its steps. */
function heldNumbers(pattern: string): number {
  try {
    const { prog } = RE2JS.compile(pattern).re2();
    return Array.from({ length: prog.numInst() }, (_, at) => prog.getInst(at).runes?.length ?? 0).reduce(
      (a, b) => a + b,
    );
  } catch {
    return 0;
  }
}

const atom = fc.constantFrom(
  'a',
  '.',
  '\\d',
  '\\W',
  '\\pL',
  '\\P{Lu}',
  '[a-z]',
  '[^]x]',
  '[[:alpha:]\\pN]',
  '[^\\p{Ll}[:^alpha:]\\S]',
  '[a--k\\x41-\\x{700}\\101-]',
  '[ſKkα-ωēĕėęě]',
  '\\Qab{3}\\E',
  '^',
  '\\b',
  '\\(',
  '\\x{10FFFF}',
  'é',
);
const suffix = fc.constantFrom('', '', '*', '+', '?', '+?', '{3}', '{2,5}', '{0,4}', '{3,}', '{0}', '{1,1}?');
const { pattern } = fc.letrec<{ pattern: string }>((tie) => {
  const piece = fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    atom,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?i:', '(?s-i:', '(?i)(?:', '(?P<n>'), tie('pattern'))
      .map(([open, inner]) => `${open}${inner})`),
  );
  const sequence = fc.array(fc.tuple(piece, suffix), { minLength: 1, maxLength: 4 });
  return {
    pattern: fc
      .array(
        sequence.map((parts) => parts.map(([text, end]) => text + end).join('')),
        { minLength: 1, maxLength: 3 },
      )
      .map((alternatives) => alternatives.join('|')),
  };
});

describe('the estimated size of a pattern', () => {
  test.for([
    { pattern: 'abc', atMost: 10 },
    { pattern: 'a{1000}', atMost: 1_010 },
    { pattern: '(.*a){100}$', atMost: 800 },
    { pattern: '(?i)urgent|asap|now', atMost: 40 },
    { pattern: '^gpt-[0-9]+(\\.[0-9]+)?(-[a-z]+)*$', atMost: 50 },
  ])('of $pattern is near that of its program', ({ pattern, atMost }) => {
    const estimate = estimatePatternSize(pattern);
    expect(estimate).toBeLessThanOrEqual(atMost);
    expect(estimate).toBeGreaterThanOrEqual(compiledSize(pattern) ?? 0);
  });

  test.for(['()*', '(\\b*){3}', '(a?){2,}', '(?:^*)+', '()()'])(
    'counts the extra step of what may be empty: %s',
    (pattern) => {
      expect(estimatePatternSize(pattern)).toBeGreaterThanOrEqual(compiledSize(pattern) ?? 0);
    },
  );

  test('multiplies nested repeats', () => {
    expect(estimatePatternSize('((a{10}){10}){10}')).toBeGreaterThan(1_000);
    expect(estimatePatternSize('(((a{99999}){99999}){99999}){99999}')).toBe(1_000_000);
  });

  test('is never below that of the program', () => {
    fc.assert(
      fc.property(pattern, (text) => {
        expect(estimatePatternSize(text)).toBeGreaterThanOrEqual(compiledSize(text) ?? 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('grows with the members of classes', () => {
    fc.assert(
      fc.property(pattern, (text) => {
        expect(heldNumbers(text)).toBeLessThanOrEqual(estimatePatternSize(text) * NUMBERS_PER_STEP);
      }),
      { numRuns: 2_000 },
    );
  });

  test.for([
    '(?i)[\\x{100}-\\x{10ffff}]',
    '(?i)[Ā-\u{10ffff}]',
    '[\\x{100}-\\x{10ffff}](?s-i:a)',
    'a(?i:[a-\\x{ffff}])',
    '(?i)[^\\n-\\x{1ffff}]',
    '(?i)[+--\\x{ffff}]',
    '(?si)[\\101-\\x{10ffff}]',
    '\\p{L}{1000}',
    '\\pL{1000}',
    '(?i)(?:[\\W\\S]){200}',
    '(?i)[[:^alpha:]]{200}',
  ])('of %s exceeds the limit of one pattern', (text) => {
    expect(estimatePatternSize(text)).toBeGreaterThan(MAX_PATTERN_SIZE);
  });

  test.for([
    '(?i)urgent|asap',
    '[a-z0-9_-]+',
    '\\p{L}+',
    '(?i)^[\\p{L}\\p{N} ._-]{1,3}$',
    '(?i)\\b(?:пароль|[а-яё]+)\\b',
    '[^\\x00-\\x{10ffff}]',
    '[一-龥]{1,50}',
    '(?i)[一-龥]+',
    '(?i)^\\w+@[\\w.-]+\\.[a-z]{2,24}$',
  ])('of %s is within the limit', (text) => {
    expect(estimatePatternSize(text)).toBeLessThanOrEqual(MAX_PATTERN_SIZE);
  });

  test('is computed for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'()[]{}\\Qp:^|*+?a,19') }), (text) => {
        expect(estimatePatternSize(text)).toBeGreaterThanOrEqual(compiledSize(text) ?? 0);
      }),
      { numRuns: 2_000 },
    );
  });
});
