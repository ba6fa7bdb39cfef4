import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('tasks of one key run one after the other, also after one that fails, and those of others do not wait', async () => {
  const inTurn = createTurns();
  const order: string[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const first = inTurn('a', async () => {
    await held;
    order.push('first');
    throw new Error('failed');
  });
  const second = inTurn('a', async () => order.push('second'));
  await inTurn('b', async () => order.push('other'));
  release();
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(order).toEqual(['other', 'first', 'second']);
});
