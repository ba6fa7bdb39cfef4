import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { compileRegex, createRegexScheduler, REQUEST_UNITS, type RegexVerdict } from './regex.ts';

const workOf = (left: number = REQUEST_UNITS) => ({ left, nextSlice: async () => {} });

const decide = async (pattern: string, text: string, work = workOf()): Promise<RegexVerdict> =>
  compileRegex(pattern).test(text, work);

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\b',
  '\\B',
  '^',
  '$',
  '\\w',
  '\\n',
  '(?i:A)',
  '(?m:^)',
  '(?m:$)',
  '(?s:.)',
  '\\pL',
  '😀',
  '\\z',
);
const pattern = fc
  .array(fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,3}')), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.map(([text, end]) => (/^[\^$]|^\\[bBz]/.test(text) ? text : text + end)).join(''));
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' ', '\n', 'é', '😀', '\ud800'), maxLength: 30 });

/** A text on which the automaton of the pattern has a new state at every character. */
const EXPLOSIVE = '[ab]a[ab]{60}[^ab]';
const randomText = (length: number): string => {
  let bits = 1;
  return Array.from({ length }, () => {
    bits = (bits * 1_103_515_245 + 12_345) % 2_147_483_648;
    return bits > 1_073_741_824 ? 'a' : 'b';
  }).join('');
};

describe('a pattern', () => {
  test('matches what RE2 matches', async () => {
    await fc.assert(
      fc.asyncProperty(pattern, text, async (source, given) => {
        expect(await decide(source, given)).toBe(RE2JS.compile(source).matcher(given).find());
      }),
      { numRuns: 2_000 },
    );
  });

  test('gives the same answer when it is used again', async () => {
    const compiled = compileRegex('[ab]a[ab]{12}c');
    const long = `${randomText(20_000)}c`;
    for (let i = 0; i < 3; i += 1) {
      expect(await compiled.test(long, workOf())).toBe(RE2JS.compile('[ab]a[ab]{12}c').test(long));
      expect(await compiled.test('x', workOf())).toBe(false);
    }
  });

  test('answers at once for a short text, and pauses in a long one', async () => {
    expect(compileRegex('a+$').test('bbba', workOf())).toBe(true);
    let turns = 0;
    const nextSlice = async () => {
      turns += 1;
    };
    expect(await compileRegex('c').test('a'.repeat(1_048_576), { left: REQUEST_UNITS, nextSlice })).toBe(false);
    expect(turns).toBeGreaterThan(10);
  });

  test.for(['(.*a){100}$', '^(a+)+$', '(x+x+)+y', '(?i)urgent|asap'])(
    '%s reads 1 MiB with little work',
    async (source) => {
      for (const given of ['a'.repeat(1_048_576), randomText(1_048_576)]) {
        expect(await decide(source, given)).toBe(
          source.endsWith('$') && (source.startsWith('(') ? given.endsWith('a') : !given.includes('b')),
        );
      }
    },
  );

  test('ends undecided when the work is used up', async () => {
    const work = workOf();
    expect(await decide(EXPLOSIVE, randomText(1_048_576), work)).toBe('exhausted');
    expect(work.left).toBeLessThanOrEqual(0);
    expect(await decide('a', 'a', work)).toBe('exhausted');
  });

  test('takes little work on a text that lacks a literal which all matches have', async () => {
    const compiled = compileRegex(`${EXPLOSIVE}|${EXPLOSIVE}-x`.replaceAll(']{60}', ']{60}-'));
    const long = randomText(16_000);
    expect(await compiled.test(long, workOf())).toBe(false); // compiled by now
    const work = workOf();
    expect(await compiled.test(long, work)).toBe(false);
    expect(REQUEST_UNITS - work.left).toBeLessThan(long.length);
    expect(await compiled.test(`${long}a${'b'.repeat(60)}-c`, workOf())).toBe(true);
  });

  test.for([
    ['x{2}-(?:ab|ba)😀', 'xx-ba😀'],
    ['(?:key|token)=[a-z]+;', 'token=b;'],
    [`${'a'.repeat(40)}c?b`, `${'a'.repeat(40)}b`],
    ['(?i)KEY-\\d', 'key-7'],
    ['(?:ab)*c', 'c'],
  ] as const)('%s is found where its literals are', async ([source, found]) => {
    const around = randomText(200);
    expect(await decide(source, `${around}${found}${around}`)).toBe(true);
    expect(await decide(source, `${around}${found.slice(1)}${around}`.replaceAll(found.slice(-1), '_'))).toBe(false);
  });

  test('that was never checked is not compiled when its program would be too large', () => {
    expect(compileRegex('(a{1000}){9}').test('a', workOf())).toBe('exhausted');
    expect(compileRegex('(?=a)').test('a', workOf())).toBe(false);
  });
});

test('slices run one after the other', async () => {
  const tasks: (() => void)[] = [];
  const nextSlice = createRegexScheduler((task) => void tasks.push(task));
  const got: number[] = [];
  const waiting = [1, 2, 3].map((i) => nextSlice().then(() => got.push(i)));
  for (let i = 1; i <= 3; i += 1) {
    expect(tasks).toHaveLength(1);
    tasks.shift()?.();
    await waiting[i - 1];
    expect(got).toHaveLength(i);
  }
  expect(tasks).toHaveLength(0);
});
