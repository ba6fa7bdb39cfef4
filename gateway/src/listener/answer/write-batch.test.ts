import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDefer } from './write-batch.ts';

test('tasks run together at the end of the turn, in order; those they put off run in the next one', async () => {
  const defer = createDefer();
  const ran: string[] = [];
  defer(() => {
    ran.push('a');
    queueMicrotask(() => ran.push('after'));
    defer(() => ran.push('next'));
  });
  defer(() => ran.push('b'));
  expect(ran).toEqual([]);
  await nextTurn();
  expect(ran).toEqual(['a', 'b', 'after']);
  await nextTurn();
  expect(ran).toEqual(['a', 'b', 'after', 'next']);
});
