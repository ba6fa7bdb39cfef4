import { describe, expect, test } from 'vitest';
import { withLock } from './lock.ts';

describe('a lock', () => {
  test('is held by one at a time, and by all in the end', async () => {
    let holders = 0;
    let most = 0;
    const done = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        withLock('lock-test', async () => {
          holders += 1;
          most = Math.max(most, holders);
          await new Promise((resolve) => setImmediate(resolve));
          holders -= 1;
          return i;
        }),
      ),
    );
    expect(most).toBe(1);
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('is free again after a failure', async () => {
    await expect(withLock('lock-test', () => Promise.reject(new Error('boom')))).rejects.toThrow();
    expect(await withLock('lock-test', () => Promise.resolve('held'))).toBe('held');
  });
});
