import { expect, test } from 'vitest';
import { renderCells } from '../table.ts';
import { describeGrowth, grownSteps } from './growth.ts';

/** A ladder of three steps above a bare proxy. */
const ladder = (bare: number, ...added: readonly number[]): string => {
  let cost = bare;
  const rows = added.map((more, at) => {
    cost += more;
    return [`step ${at + 1}`, 'something', String(cost), '', '1,000'];
  });
  const headings = ['step', 'adds', 'µs/request', '±', 'µs/event'];
  return renderCells(headings, [['bare', 'nothing', String(bare), '', '1,000'], ...rows], new Set());
};

const namesOf = (now: string, before: string): string[] => grownSteps(now, before).map(({ step }) => step);

test.for([
  { rule: 'the same costs are no growth', now: ladder(40, 10, 20, 5), want: [] },
  { rule: 'a step that adds more is found, those above it are not', now: ladder(40, 10, 24, 5), want: ['step 2'] },
  { rule: 'a tenth more is allowed', now: ladder(40, 11, 22, 5), want: [] },
  { rule: 'a slower machine is no growth', now: ladder(80, 20, 40, 10), want: [] },
  { rule: 'what the noise may have made is no growth', now: ladder(40, 10, 20, 6), want: [] },
  { rule: 'less is no growth', now: ladder(40, 2, 3, 1), want: [] },
])('$rule', ({ now, want }) => {
  expect(namesOf(now, ladder(40, 10, 20, 5))).toEqual(want);
});

test('a step without an earlier figure has not grown', () => {
  expect(namesOf(ladder(40, 10, 20, 5), ladder(40, 10))).toEqual([]);
});

test('the report names what grew, and says when there is nothing to compare with', () => {
  expect(describeGrowth(ladder(40, 10, 24), ladder(40, 10, 20))).toContain('step 2, µs/request: 50 % before, 60 % now');
  expect(describeGrowth(ladder(40, 10), ladder(40, 10))).toContain('No step');
  expect(describeGrowth(ladder(40, 10), '')).toContain('no earlier table');
});
