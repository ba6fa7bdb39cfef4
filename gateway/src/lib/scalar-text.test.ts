import { expect, test } from 'vitest';
import { scalarText } from './scalar-text.ts';

test.for([
  ['a', 'a'],
  ['', ''],
  [7.5, '7.5'],
  [false, 'false'],
  [null, ''],
  [undefined, ''],
  [['a'], ''],
  [[{ toString: 0 }], ''],
  [{ toString: 0, valueOf: 0 }, ''],
  [Object.create(null), ''],
] as const)('the text of %j is %j', ([value, want]) => {
  expect(scalarText(value)).toBe(want);
});
