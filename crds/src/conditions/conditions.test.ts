import { expect, test } from 'vitest';
import { POSITIVE, REASONS } from './index.ts';

test('every positive condition has a reason of its own name', () => {
  for (const type of POSITIVE) expect(REASONS[type].on).toEqual([type]);
});
