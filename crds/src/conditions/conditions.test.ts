import { expect, test } from 'vitest';
import { POSITIVE_CONDITIONS, REASONS } from './index.ts';

test('every positive condition has a reason with its name', () => {
  for (const type of POSITIVE_CONDITIONS) expect(REASONS[type].on).toEqual([type]);
});
