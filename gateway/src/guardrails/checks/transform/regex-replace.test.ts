import { checkEntryOf } from '@gatehouse/crds/guardrails';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REQUEST_UNITS } from '../../../lib/regex.ts';
import { outcomeOf, runCheck, subjectOf, toolsOf } from '../../testing.ts';

/** The texts that a check leaves. */
async function replaced(parameters: object, parts: readonly string[]): Promise<readonly (string | undefined)[]> {
  const { transformed } = await runCheck('regexReplace', parameters, subjectOf(parts));
  return transformed?.kind === 'parts' ? transformed.parts : parts;
}

describe('regexReplace', () => {
  test.for<[rule: string, parameters: object, parts: string[], left: string[], want: string]>([
    ['the first match', { rule: '\\d+' }, ['1 2'], ['[REDACTED] 2'], 'T'],
    ['all matches with g', { rule: '/\\d+/g', failOnDetection: true }, ['1 2'], ['[REDACTED] [REDACTED]'], 'F'],
    ['the first match of each text', { rule: 'a' }, ['aa', 'ba'], ['[REDACTED]a', 'b[REDACTED]'], 'T'],
    ['no match', { rule: 'x', failOnDetection: true }, ['abc'], ['abc'], 'T'],
    ['any case with i', { rule: '/SECRET/i' }, ['my secret'], ['my [REDACTED]'], 'T'],
    ['case matters without it', { rule: '/SECRET/' }, ['my secret'], ['my secret'], 'T'],
    ['lines with m', { rule: '/^b$/m' }, ['a\nb\nc'], ['a\n[REDACTED]\nc'], 'T'],
    ['a dot for line ends with s', { rule: '/a.c/s' }, ['a\nc'], ['[REDACTED]'], 'T'],
    ['only the beginning with y', { rule: '/a/y' }, ['ba'], ['ba'], 'T'],
    ['neighbours with g and y', { rule: '/a/gy', redactText: 'x' }, ['aaba'], ['xxba'], 'T'],
    ['flags without effect', { rule: '/a/ud' }, ['a'], ['[REDACTED]'], 'T'],
    ['what only looks like flags', { rule: '/a/x', redactText: '-' }, ['b/a/x'], ['b-'], 'T'],
    ['an empty replacement', { rule: 'a', redactText: '' }, ['ab'], ['[REDACTED]b'], 'T'],
    ['a match that is left as it is', { rule: 'a', redactText: '$&', failOnDetection: true }, ['a'], ['a'], 'F'],
    ['references in what names no group', { rule: 'a', redactText: '$<$$$<$&>' }, ['a'], ['$<$$<a>'], 'T'],
    ['a text that would become empty', { rule: '/.*(x)?/', redactText: '$1' }, ['abc'], ['[REDACTED]'], 'T'],
    ['no text', { rule: 'a', failOnDetection: true }, [''], [''], 'T e'],
    ['no parts', { rule: 'a' }, [], [], 'T e'],
    ['empty parts beside others', { rule: '/x*/g', redactText: '-' }, ['', 'a'], ['', '-a-'], 'T'],
    ['characters of two units', { rule: '/./g', redactText: '<$&>' }, ['a😀'], ['<a><😀>'], 'T'],
  ])('%s', async ([, parameters, parts, left, want]) => {
    expect(await replaced(parameters, parts)).toEqual(left);
    expect(outcomeOf(await runCheck('regexReplace', parameters, subjectOf(parts)))).toBe(want);
  });

  test.for(['*', '/(?=a)/g', '', '/(a{1000}){9}/'])('%s is refused before it is used', (rule) => {
    expect(checkEntryOf('regexReplace')?.parameters.safeParse({ rule }).error?.issues[0]?.path).toEqual(['rule']);
  });

  test('ends with an error when the text would grow beyond its bound', async () => {
    const parameters = { rule: '/a/g', redactText: 'x'.repeat(1_024) };
    const { verdict, error, transformed } = await runCheck('regexReplace', parameters, subjectOf(['a'.repeat(10_000)]));
    expect([verdict, error?.name, transformed]).toEqual([false, 'TextTooLong', undefined]);
  });

  test('counts the texts together', async () => {
    const parameters = { rule: '/a/g', redactText: 'x'.repeat(1_024) };
    const two = Array.from({ length: 2 }, () => 'a'.repeat(3_000));
    expect(outcomeOf(await runCheck('regexReplace', parameters, subjectOf(two.slice(1))))).toBe('T');
    expect(outcomeOf(await runCheck('regexReplace', parameters, subjectOf(two)))).toBe('F e');
  });

  test('ends with an error when the work of the request is used up', async () => {
    const tools = toolsOf({ regex: { left: 0, nextSlice: async () => {} } });
    const answer = await runCheck('regexReplace', { rule: 'a' }, subjectOf(['a']), { tools });
    expect(answer).toMatchObject({ verdict: false, error: { name: 'PatternTooCostly' } });
  });

  test('counts the pieces of what it puts in', async () => {
    const [plain, pieces] = await Promise.all(
      ['x', '$&'.repeat(100)].map(async (redactText) => {
        const regex = { left: REQUEST_UNITS, nextSlice: async () => {} };
        await runCheck('regexReplace', { rule: '/a/g', redactText }, subjectOf(['a'.repeat(100)]), {
          tools: toolsOf({ regex }),
        });
        return REQUEST_UNITS - regex.left;
      }),
    );
    expect(pieces).toBeGreaterThan((plain ?? 0) + 9_000);
  });

  test('replaces as JavaScript does', async () => {
    const template = fc
      .array(
        fc.constantFrom(
          '$$',
          '$&',
          '$`',
          "$'",
          '$1',
          '$2',
          '$3',
          '$01',
          '$10',
          '$0',
          '$<n>',
          '$<q>',
          '$',
          'z',
          '<',
          '1',
        ),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      .map((pieces) => pieces.join(''));
    const source = fc.constantFrom('a', '(a)(b)?', '(?<n>b)|(c)', 'x*', '(a|b)(?<n>c)?', '()(b)', '[ab]+');
    const flags = fc.constantFrom('', 'g', 'y', 'gy', 'gu');
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '😀', ' '), { minLength: 1, maxLength: 12 })
      .map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(template, source, flags, text, async (redactText, pattern, flags, text) => {
        const wanted = text.replace(new RegExp(pattern, `${flags}${flags.includes('u') ? '' : 'u'}`), redactText);
        const [left] = await replaced({ rule: `/${pattern}/${flags}`, redactText }, [text]);
        expect(left).toBe(wanted === '' ? '[REDACTED]' : wanted);
      }),
      { numRuns: 1_000 },
    );
  });
});
