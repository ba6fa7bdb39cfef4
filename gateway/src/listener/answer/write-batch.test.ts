import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWriteBatch } from './write-batch.ts';

test('writes of one turn run together at its end, in order, and those they add run in the next turn', async () => {
  const batch = createWriteBatch();
  const ran: string[] = [];
  batch(() => {
    ran.push('a');
    queueMicrotask(() => ran.push('after'));
    batch(() => ran.push('next'));
  });
  batch(() => ran.push('b'));
  expect(ran).toEqual([]);
  await nextTurn();
  expect(ran).toEqual(['a', 'b', 'after']);
  await nextTurn();
  expect(ran).toEqual(['a', 'b', 'after', 'next']);
});
