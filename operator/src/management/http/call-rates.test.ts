import { expect, test } from 'vitest';
import { createCallRates } from './call-rates.ts';

test('a key makes its burst of calls at once, then so many in a second', () => {
  const rates = createCallRates({ perSecond: 2, burst: 3 });
  const at = (nowMs: number) => rates.take('a', nowMs);
  expect([at(0), at(0), at(0), at(0)]).toEqual([undefined, undefined, undefined, 1]);
  expect([at(499), at(500), at(500), at(1_000)]).toEqual([1, undefined, 1, undefined]);
  expect([at(60_000), at(60_000), at(60_000), at(60_000)]).toEqual([undefined, undefined, undefined, 1]);
});

test('a refused call costs nothing', () => {
  const rates = createCallRates({ perSecond: 1, burst: 1 });
  rates.take('a', 0);
  for (let ms = 1; ms < 1_000; ms += 1) expect(rates.take('a', ms)).toBe(1);
  expect(rates.take('a', 1_000)).toBeUndefined();
});

test('keys do not spend what others have', () => {
  const rates = createCallRates({ perSecond: 1, burst: 1 });
  expect([rates.take('a', 0), rates.take('a', 0), rates.take('b', 0)]).toEqual([undefined, 1, undefined]);
});

test('of many keys those that have called last are remembered', () => {
  const rates = createCallRates({ perSecond: 1, burst: 1, maxKeys: 2 });
  for (const key of ['a', 'b', 'a', 'c']) rates.take(key, 0);
  expect(rates.take('a', 0)).toBe(1);
  expect(rates.take('b', 0)).toBeUndefined();
});
