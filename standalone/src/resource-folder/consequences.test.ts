import { describe, expect, test } from 'vitest';
import { type FoundProblem, foldConsequences } from './consequences.ts';
import { countProblems, problemLines } from './problem.ts';

interface Given {
  readonly line: number;
  readonly withholds?: readonly string[];
  readonly refersTo?: readonly string[];
}

const found = ({ line, withholds = [], refersTo = [] }: Given): FoundProblem => ({
  problem: { file: 'a.yaml', line, column: 1, message: `problem ${line}` },
  withholds,
  refersTo,
});

const fold = (given: readonly Given[], known: readonly string[] = []) => foldConsequences(given.map(found), known);

/** `1 < 2 3`: the problem of line 1, and those that follow from it. */
const shape = (given: readonly Given[]): string[] =>
  fold(given).map(({ line, consequences = [] }) => [line, ...consequences.map((one) => `< ${one.line}`)].join(' '));

describe('what follows from a problem', () => {
  test.for<{ rule: string; given: readonly Given[]; want: string[] }>([
    { rule: 'nothing refers to', given: [{ line: 2, withholds: ['A'] }, { line: 1 }], want: ['1', '2'] },
    {
      rule: 'a reference is below it, in the order of lines',
      given: [
        { line: 9, refersTo: ['A'] },
        { line: 3, refersTo: ['B', 'A'] },
        { line: 5, withholds: ['A'] },
      ],
      want: ['5 < 3 < 9'],
    },
    {
      rule: 'a reference to what follows is below the first cause',
      given: [
        { line: 1, refersTo: ['B'] },
        { line: 2, withholds: ['B'], refersTo: ['A'] },
        { line: 3, withholds: ['A'] },
      ],
      want: ['3 < 1 < 2'],
    },
    {
      rule: 'of two problems of an object the one that is a cause counts',
      given: [
        { line: 1, withholds: ['B'], refersTo: ['A'] },
        { line: 2, withholds: ['B'] },
        { line: 3, refersTo: ['B'] },
        { line: 4, withholds: ['A'] },
      ],
      want: ['2 < 3', '4 < 1'],
    },
    {
      rule: 'in a ring every problem is a cause',
      given: [
        { line: 1, withholds: ['A'], refersTo: ['B'] },
        { line: 2, withholds: ['B'], refersTo: ['A'] },
      ],
      want: ['1', '2'],
    },
    { rule: 'an object may refer to itself', given: [{ line: 1, withholds: ['A'], refersTo: ['A'] }], want: ['1'] },
  ])('$rule', ({ given, want }) => {
    expect(shape(given)).toEqual(want);
  });

  test('is indented below it, and counted', () => {
    const problems = fold([
      { line: 1, withholds: ['A'] },
      { line: 2, refersTo: ['A'] },
      { line: 3, refersTo: ['A'] },
    ]);
    expect(problemLines(problems)).toEqual([
      'a.yaml:1:1: problem 1',
      '  follows: a.yaml:2:1: problem 2',
      '  follows: a.yaml:3:1: problem 3',
    ]);
    expect(countProblems(problems)).toBe('1 problem, and 2 that follow from it');
    expect(countProblems(fold([{ line: 1 }, { line: 2 }]))).toBe('2 problems');
  });

  test('is shown in one line, whatever its text', () => {
    const problem = { file: 'a\u001b.yaml', line: 1, column: 1, message: 'b\u001b[31m\nc' };
    expect(problemLines([problem])).toEqual(['a\\u001b.yaml:1:1: b\\u001b[31m\\nc']);
  });
});

describe('a reference to an object that is nowhere', () => {
  const KNOWN = ['VirtualKey/team-a/openai', 'Provider/team-a/mistral', 'VirtualKey/team-b/opena'];
  const message = (refersTo: readonly string[]): string | undefined => fold([{ line: 1, refersTo }], KNOWN)[0]?.message;

  test.for([
    { rule: 'gets the nearest name', refersTo: ['VirtualKey/team-a/opnai'], want: 'problem 1; did you mean openai?' },
    {
      rule: 'gets one of another kind that would do',
      refersTo: ['VirtualKey/team-a/mistrall', 'Provider/team-a/mistrall'],
      want: 'problem 1; did you mean mistral?',
    },
    { rule: 'gets none of another namespace', refersTo: ['VirtualKey/team-c/openai'], want: 'problem 1' },
    { rule: 'gets none that is not near', refersTo: ['VirtualKey/team-a/anthropic'], want: 'problem 1' },
    { rule: 'gets none where the object is there', refersTo: ['VirtualKey/team-a/openai'], want: 'problem 1' },
  ])('$rule', ({ refersTo, want }) => {
    expect(message(refersTo)).toBe(want);
  });

  test('gets none that is not served itself', () => {
    const problems = fold(
      [
        { line: 1, refersTo: ['VirtualKey/team-a/opnai'] },
        { line: 2, withholds: ['VirtualKey/team-a/openai'] },
      ],
      KNOWN,
    );
    expect(problems.map((problem) => problem.message)).toEqual(['problem 1', 'problem 2']);
  });

  test('gets the name as the message writes one', () => {
    const refersTo = ['VirtualKey/team-a/opnai'];
    const problem = { ...found({ line: 1 }).problem, message: 'the provider @opnai does not exist' };
    expect(foldConsequences([{ problem, withholds: [], refersTo }], KNOWN)[0]?.message).toMatch(/mean @openai\?$/);
  });
});
