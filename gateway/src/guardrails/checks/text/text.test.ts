import { checkEntryOf } from '@gatehouse/crds/guardrails';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../register.ts';
import { outcomeOf, runCheck, subjectOf, toolsOf } from '../../testing.ts';

const FENCE = '```';

describe.for<[id: string, rows: [parameters: object, text: string, want: string][]]>([
  [
    'regexMatch',
    [
      [{ rule: '^a' }, 'abc', 'T'],
      [{ rule: '^a' }, 'cab', 'F'],
      [{ rule: '^a' }, 'Abc', 'F'],
      [{ rule: '^a', not: true }, 'cab', 'T'],
      [{ rule: '^a', not: true }, '', 'F e'],
      [{ rule: 'a{1,3}$' }, 'cba', 'T'],
      [{ rule: '/a/' }, 'a', 'F'],
      [{ rule: 'a\nb' }, 'a\nb', 'T'],
    ],
  ],
  [
    'sentenceCount',
    [
      [{ minSentences: 1, maxSentences: 2 }, 'Hi', 'F'],
      [{ minSentences: 1, maxSentences: 2 }, 'Hi.', 'T'],
      [{ minSentences: 1, maxSentences: 2 }, 'a. b. c.', 'F'],
      [{ minSentences: 0, maxSentences: 0 }, '', 'T'],
      [{ minSentences: 1 }, 'Hi.', 'T'],
      [{ minSentences: 3, maxSentences: 3 }, '...', 'T'],
      [{ minSentences: 1, maxSentences: 1 }, '3.14', 'T'],
      [{ minSentences: 1, maxSentences: 1, not: true }, 'What?', 'F'],
    ],
  ],
  [
    'wordCount',
    [
      [{ minWords: 2, maxWords: 3 }, ' a  b\nc ', 'T'],
      [{ minWords: 2, maxWords: 3 }, 'a', 'F'],
      [{ minWords: 2, maxWords: 3 }, 'a b c d', 'F'],
      [{ minWords: 2, maxWords: 3 }, ' \n\t\u00a0 ', 'F e'],
      [{ minWords: 2, maxWords: 3 }, '', 'F e'],
      [{}, 'a\u2003b', 'T'],
      [{ minWords: 2, maxWords: 2 }, 'a\ufeffb', 'T'],
      [{ minWords: 2, maxWords: 3, not: true }, 'a b', 'F'],
      [{ minWords: 2, maxWords: 3, not: true }, ' ', 'F e'],
    ],
  ],
  [
    'characterCount',
    [
      [{ minCharacters: 2, maxCharacters: 2 }, '😀', 'T'],
      [{ minCharacters: 1, maxCharacters: 2 }, ' a ', 'F'],
      [{ maxCharacters: 3 }, ' a ', 'T'],
      [{}, '', 'F e'],
      [{ maxCharacters: 3, not: true }, 'abc', 'F'],
      [{ minCharacters: 4, not: true }, 'abc', 'T'],
    ],
  ],
  [
    'contains',
    [
      [{ words: ['a', 'b'], operator: 'any' }, 'xa', 'T'],
      [{ words: ['a', 'b'], operator: 'all' }, 'xa', 'F'],
      [{ words: ['a', 'b'], operator: 'none' }, 'xa', 'F'],
      [{ words: [], operator: 'any' }, 'x', 'F'],
      [{ words: [], operator: 'all' }, 'x', 'T'],
      [{ words: [], operator: 'none' }, 'x', 'T'],
      [{ words: ['a'], operator: 'none' }, 'A', 'T'],
      [{ words: ['a'], operator: 'none' }, '', 'T'],
      [{ words: ['a'] }, 'cat', 'T'],
    ],
  ],
  [
    'alluppercase',
    [
      [{}, 'ABC 1!', 'T'],
      [{}, '123', 'T'],
      [{}, 'Ab', 'F'],
      [{}, 'É', 'T'],
      [{}, '', 'F e'],
      [{ not: true }, 'Ab', 'T'],
      [{ not: true }, '', 'F e'],
    ],
  ],
  [
    'isAllLowerCase',
    [
      [{}, 'abc 1!', 'T'],
      [{}, '123', 'T'],
      [{}, 'Ab', 'F'],
      [{}, 'é', 'T'],
      [{}, '', 'F e'],
      [{ not: true }, 'abc', 'F'],
    ],
  ],
  [
    'endsWith',
    [
      [{ suffix: 'end' }, 'the end', 'T'],
      [{ suffix: 'end' }, 'the end.', 'T'],
      [{ suffix: 'end' }, 'the end..', 'F'],
      [{ suffix: 'end' }, 'the end ', 'F'],
      [{ suffix: 'end' }, 'End', 'F'],
      [{ suffix: 'end', not: true }, 'the end', 'F'],
      [{ suffix: 'end', not: true }, '', 'F e'],
    ],
  ],
  [
    'notNull',
    [
      [{}, '', 'F'],
      [{}, ' \n', 'F'],
      [{}, 'x', 'T'],
      [{ not: true }, 'x', 'F'],
      [{ not: true }, '', 'T'],
      [{}, '\u00a0', 'F'],
    ],
  ],
  [
    'containsCode',
    [
      [{ format: 'Python' }, `${FENCE}py\nx = 1\n${FENCE}`, 'T'],
      [{ format: 'Python' }, `${FENCE}js\nx = 1\n${FENCE}`, 'F'],
      [{ format: 'Python' }, 'x = 1', 'F'],
      [{ format: 'Python', not: true }, 'x = 1', 'T'],
      [{ format: 'Python', not: true }, `${FENCE}js\nx\n${FENCE}\n${FENCE}Python\nx\n${FENCE}`, 'F'],
      [{ format: 'Python' }, `${FENCE}py x = 1\n${FENCE}`, 'F'],
      [{ format: 'Python' }, `${FENCE}py\nx = 1 ${FENCE}`, 'F'],
      [{ format: 'Python' }, `${FENCE}\nx\n${FENCE}\n${FENCE}py\nx\n${FENCE}`, 'T'],
      [{ format: 'YAML' }, `${FENCE}yaml\na: 1\n${FENCE}`, 'T'],
      [{ format: 'C++' }, `${FENCE}c++\nint a\n${FENCE}`, 'T'],
      [{ format: 'Shell' }, `${FENCE}bash\nls\n${FENCE}`, 'T'],
      [{ format: 'Go' }, '', 'F e'],
    ],
  ],
])('%s', ([id, rows]) => {
  test.for(rows)('%j on %j: %s', async ([parameters, text, want]) => {
    expect(outcomeOf(await runCheck(id, parameters, subjectOf([text])))).toBe(want);
  });
});

describe('the match of a pattern', () => {
  test('is shown with its groups', async () => {
    const { data } = await runCheck('regexMatch', { rule: '(?P<user>\\w+)@(x)?' }, subjectOf(['mail bob@y']));
    expect(data).toMatchObject({
      regexPattern: '(?P<user>\\w+)@(x)?',
      matchDetails: { matchedText: 'bob@', index: 5, groups: { user: 'bob' }, captures: ['bob', null] },
    });
  });

  test.for(['*', '(?=a)', '(a)\\1', '(a{1000}){9}'])('%s is refused before it is used', (rule) => {
    expect(checkEntryOf('regexMatch')?.parameters.safeParse({ rule }).error?.issues[0]?.path).toEqual(['rule']);
  });

  test('is unknown where a pattern was stored that RE2 does not know', async () => {
    const check = CHECKS.get('default.regexMatch')?.compile({ rule: '*', not: false }, new Map());
    expect(await check?.(subjectOf(['x']), toolsOf())).toMatchObject({
      verdict: false,
      error: { name: 'InvalidPattern' },
    });
  });

  test('is unknown when the work of the request is used up', async () => {
    const tools = toolsOf({ regex: { left: 0, nextSlice: async () => {} } });
    expect(await runCheck('regexMatch', { rule: 'a' }, subjectOf(['a']), { tools })).toMatchObject({
      verdict: false,
      error: { name: 'PatternTooCostly' },
    });
  });
});

test('words of a text are in a range as many as there are, however the text is written', async () => {
  const piece = fc.constantFrom('a', 'bc', ' ', '\n', '\u00a0', '\u3000', ' d '.repeat(40), 'e'.repeat(130));
  const texts = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(60), fc.nat(60), fc.boolean(), async (text, one, other, not) => {
      const [minWords, maxWords] = [Math.min(one, other), Math.max(one, other)];
      const count = text.match(/\S+/g)?.length ?? 0;
      const answer = await runCheck('wordCount', { minWords, maxWords, not }, subjectOf([text]));
      const isInRange = count >= minWords && count <= maxWords;
      expect(outcomeOf(answer)).toBe(count === 0 ? 'F e' : isInRange === not ? 'F' : 'T');
      if (count > 0) expect(answer.data).toMatchObject({ wordCount: count, verdict: answer.verdict });
    }),
    { numRuns: 1_000 },
  );
});

describe('the parts of a message', () => {
  test('are one text, a line each', async () => {
    const { data } = await runCheck('characterCount', {}, subjectOf(['a', '', 'b']));
    expect(data).toMatchObject({ characterCount: 3, textExcerpt: 'a\nb' });
  });

  test('are no text when they are images', async () => {
    expect(outcomeOf(await runCheck('wordCount', { minWords: 1, maxWords: 9 }, subjectOf([''])))).toBe('F e');
  });
});

describe('an answer that calls tools is not null', () => {
  test.for([
    { shape: 'chat', response: { choices: [{ message: { content: null, tool_calls: [{ id: 'a' }] } }] } },
    { shape: 'old chat', response: { choices: [{ message: { content: null, function_call: { name: 'a' } } }] } },
    { shape: 'messages', response: { content: [{ type: 'tool_use', id: 'a' }] } },
    { shape: 'responses', response: { output: [{ type: 'function_call', name: 'a' }] } },
  ])('as $shape', async ({ response }) => {
    const subject = subjectOf([], { phase: 'output', response });
    expect((await runCheck('notNull', {}, subject)).verdict).toBe(true);
    expect((await runCheck('notNull', { not: true }, subject)).verdict).toBe(false);
  });

  test('but one whose types are no texts is', async () => {
    const response = { content: [{ type: { toString: 0 } }] };
    expect((await runCheck('notNull', {}, subjectOf([''], { phase: 'output', response }))).verdict).toBe(false);
  });

  test('but one with an empty list of them is', async () => {
    const response = { choices: [{ message: { content: '', tool_calls: [] } }], content: [{ type: 'text' }] };
    expect((await runCheck('notNull', {}, subjectOf([''], { phase: 'output', response }))).verdict).toBe(false);
  });
});

test('contains finds the same words in a text that is long enough for pauses', async () => {
  const words = ['needle', 'missing', 'thread', 'absent'];
  const text = `${'x'.repeat(1_000_000)}needle${'y'.repeat(40_000)}thread`;
  const { data } = await runCheck('contains', { words, operator: 'all' }, subjectOf([text]));
  expect(data).toMatchObject({ foundWords: ['needle', 'thread'], missingWords: ['missing', 'absent'] });
});

test('contains is unknown when the words are too many for the text', async () => {
  const words = Array.from({ length: 1_024 }, (_, i) => `word${i}`);
  const [short, long] = await Promise.all(
    [64 * 1_024, 1_024 * 1_024].map((chars) => runCheck('contains', { words }, subjectOf(['x'.repeat(chars)]))),
  );
  expect(short).toMatchObject({ verdict: false, data: { foundWords: [] } });
  expect(long).toEqual({ verdict: false, error: { name: 'TextTooCostly', message: expect.any(String) } });
});

test('long texts are shown by their beginning', async () => {
  const { data } = await runCheck('wordCount', {}, subjectOf([`${'a'.repeat(100)}b`]));
  expect(data).toMatchObject({ textExcerpt: `${'a'.repeat(100)}...` });
});
