import { describe, expect, test } from 'vitest';
import { createMarks } from './marks.ts';

describe('marks', () => {
  test('tell when a version or a later one was first seen', async () => {
    const marks = createMarks('here');
    const [second, third] = [marks.reach(2, 1_000), marks.reach(3, 1_000)];
    marks.note(1);
    const beforeMs = performance.now();
    marks.note(4);
    const atMs = await second;
    marks.note(4);
    marks.note(2);
    expect(marks.version).toBe(4);
    expect([await third, await marks.reach(4, 1_000), atMs >= beforeMs]).toEqual([atMs, atMs, true]);
  });

  test('do not wait for ever', async () => {
    await expect(createMarks('here').reach(1, 5)).rejects.toThrow();
  });
});
