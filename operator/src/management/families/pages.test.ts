import { expect, test } from 'vitest';
import { totalBehind } from './pages.ts';

test.for([
  { rule: 'a first page that is not full', shown: 3, offset: 0, counted: 4, want: 3 },
  { rule: 'a first page without items', shown: 0, offset: 0, counted: 1, want: 0 },
  { rule: 'a later page that is not full', shown: 3, offset: 20, counted: 30, want: 23 },
  { rule: 'a full page', shown: 10, offset: 10, counted: 35, want: 35 },
  { rule: 'a full page of which less was counted', shown: 10, offset: 10, counted: 12, want: 20 },
  { rule: 'a page behind the last one', shown: 0, offset: 30, counted: 12, want: 12 },
  { rule: 'a page behind the last one, to which more has come', shown: 0, offset: 30, counted: 35, want: 30 },
  { rule: 'a page of no size', shown: 0, offset: 0, limit: 0, counted: 12, want: 12 },
])('the total of $rule is $want', async ({ shown, offset, limit = 10, counted, want }) => {
  expect(await totalBehind(shown, { limit, offset }, async () => counted)).toBe(want);
});

test('a page that is not full is not counted', async () => {
  expect(await totalBehind(1, { limit: 10, offset: 0 }, () => expect.unreachable())).toBe(1);
});
