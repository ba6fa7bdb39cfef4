/** What resources may say of operations, which only gateways know. */
import { ENDPOINT_TYPES } from '@gatehouse/crds/kinds';
import { expect, test } from 'vitest';
import type { Operation } from '../../gateway/src/pipeline/operations/operation.ts';
import { OPERATIONS } from '../../gateway/src/pipeline/operations/register.ts';

test('policies may name every operation whose requests have a target', () => {
  // A call of a prompt is that of its kind as soon as the prompt is known, and one behind a door that of what serves it.
  const targeted = Object.values<Operation>(OPERATIONS).filter(
    ({ answerLocally, mayBeOwn, promptAs, door }) =>
      (answerLocally === undefined || mayBeOwn === true) && promptAs === undefined && door === undefined,
  );
  expect(targeted.map(({ id }) => id).toSorted()).toEqual(ENDPOINT_TYPES.toSorted());
});
