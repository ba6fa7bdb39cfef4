import { describe, expect, test } from 'vitest';
import { forEachConcurrently } from './parallel.ts';

describe('tasks', () => {
  test('run for every item, so many at once', async () => {
    const seen: number[] = [];
    let running = 0;
    let most = 0;
    await forEachConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      seen.push(item);
      running -= 1;
    });
    expect([seen.sort(), most]).toEqual([[1, 2, 3, 4, 5], 2]);
  });

  test('do not begin after one has failed', async () => {
    const seen: number[] = [];
    const boom = new Error('boom');
    const failing = forEachConcurrently([1, 2, 3, 4], 1, async (item) => {
      seen.push(item);
      if (item === 2) throw boom;
    });
    await expect(failing).rejects.toBe(boom);
    expect(seen).toEqual([1, 2]);
  });
});
