import { estimatePatternSize, MAX_PATTERN_SIZE } from '@gatehouse/crds/config';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { compileRegex, REQUEST_UNITS } from './regex.ts';

const workOf = (left: number = REQUEST_UNITS) => ({ left, nextSlice: async () => {} });

/** Positions of the first matches, and how the walk ended. */
async function walk(
  pattern: string,
  text: string,
  { limit = Number.POSITIVE_INFINITY, groups = 99, work = workOf() } = {},
) {
  const found: number[][] = [];
  const end = await compileRegex(pattern).walk(text, work, {
    groups,
    visit: (positions) => found.push([...positions]) < limit,
  });
  return { found, end };
}

/** The same by re2js itself, whose search cannot be interrupted. */
function expected(pattern: string, text: string): number[][] {
  const matcher = RE2JS.compile(pattern).matcher(text);
  const found: number[][] = [];
  for (let from = 0; from <= text.length && matcher.find(from); ) {
    const positions = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => [matcher.start(i), matcher.end(i)]);
    found.push(positions.flat());
    const end = matcher.end();
    from = end > matcher.start() ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
  return found;
}

const { pattern } = fc.letrec<{ pattern: string }>((tie) => {
  const atom = fc.constantFrom(
    ...['a', 'b', '.', '[ab]', '[^a]', '\\b', '\\B', '^', '$', '\\w', '\\n', '(?i:A)', '(?m:^)', '(?m:$)', '(?s:.)'],
    ...['\\pL', '😀', '\\z', '\\A', 'ab|a', 'a|ab', '(?:)'],
  );
  const piece = fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    atom,
    fc.tuple(fc.constantFrom('(', '(?:', '(?P<n>'), tie('pattern')).map(([open, inner]) => `${open}${inner})`),
  );
  const part = fc
    .tuple(piece, fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{0,3}'))
    .map(([text, end]) => (/^[\^$]$|^\\[bBzA]$|\|/.test(text) ? text : text + end));
  return { pattern: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')) };
});
const isValid = (source: string): boolean => {
  if (estimatePatternSize(source) > MAX_PATTERN_SIZE) return false;
  try {
    RE2JS.compile(source);
    return true;
  } catch {
    return false;
  }
};
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' ', '\n', 'é', '😀', '\ud800'), maxLength: 30 });

describe('the matches of a pattern', () => {
  test('are those of RE2, with their groups', async () => {
    await fc.assert(
      fc.asyncProperty(pattern.filter(isValid), text, async (source, given) => {
        expect(await walk(source, given)).toEqual({ found: expected(source, given), end: 'done' });
      }),
      { numRuns: 5_000 },
    );
  });

  test.for([
    { pattern: 'a*', text: 'baaac' },
    { pattern: '', text: '😀a' },
    { pattern: '\\b', text: 'ab cd' },
    { pattern: 'x*', text: '' },
  ])('of $pattern in "$text" are those of JavaScript where they are empty', async ({ pattern, text }) => {
    const found = [...text.matchAll(new RegExp(pattern, 'gu'))].map(({ index, 0: match }) => [
      index,
      index + match.length,
    ]);
    expect((await walk(pattern, text)).found).toEqual(found);
  });

  test('end when the visitor has seen enough', async () => {
    expect(await walk('a', 'aaa', { limit: 2 })).toEqual({
      found: [
        [0, 1],
        [1, 2],
      ],
      end: 'done',
    });
  });

  test('come with as many groups as were asked for', async () => {
    expect((await walk('(a)(b)(c)', 'abc', { groups: 1 })).found).toEqual([[0, 3, 0, 1]]);
  });

  test('are found at once in a short text, and with pauses in a long one', async () => {
    expect(compileRegex('b').walk('aab', workOf(), { groups: 0, visit: () => true })).toBe('done');
    let turns = 0;
    const nextSlice = async () => {
      turns += 1;
    };
    const given = `${'a'.repeat(1_000_000)}b`;
    const work = { left: REQUEST_UNITS, nextSlice };
    expect((await walk('(a*)b', given, { work })).found).toEqual([[0, 1_000_001, 0, 1_000_000]]);
    expect(turns).toBeGreaterThan(10);
  });

  test.for(['[a-z]', '\\s|a', '(?i)A+?', '.*', '[^b]{3}'])('of %s in 1 MiB are all found', async (source) => {
    const given = 'a'.repeat(1_048_575);
    let length = 0;
    const end = await compileRegex(source).walk(given, workOf(), {
      groups: 0,
      visit: ([from = 0, to = 0]) => {
        length += to - from;
        return true;
      },
    });
    expect({ end, length }).toEqual({ end: 'done', length: given.length });
  });

  test('end undecided when the work is used up', async () => {
    const work = workOf();
    expect((await walk('(a|a.*b)', 'a'.repeat(1_048_576), { work })).end).toBe('exhausted');
    expect(work.left).toBeLessThanOrEqual(0);
    expect((await walk('a', 'a', { work })).end).toBe('exhausted');
    expect((await walk('(a{1000}){9}', 'a')).end).toBe('exhausted');
  });

  test('are not looked for with a pattern that RE2 cannot express', async () => {
    expect(await walk('(?=a)', 'a')).toEqual({ found: [], end: 'invalid' });
  });
});
