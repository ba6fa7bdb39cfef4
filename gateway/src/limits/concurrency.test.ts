import { describe, expect, test } from 'vitest';
import { createConcurrency } from './index.ts';

describe('concurrency', () => {
  test('admits requests of a subject up to its bound, and the next when one ends', () => {
    const { enter } = createConcurrency(2);
    const leave = enter('a');
    expect([enter('a'), enter('a'), enter('b')].map((entered) => entered !== undefined)).toEqual([true, false, true]);
    leave?.();
    expect(enter('a')).toBeDefined();
    expect(enter('a')).toBeUndefined();
  });

  test('counts the end of a request once', () => {
    const { enter } = createConcurrency(2);
    const leave = enter('a');
    enter('a');
    leave?.();
    leave?.();
    expect(enter('a')).toBeDefined();
    expect(enter('a')).toBeUndefined();
  });

  test('without a bound admits all', () => {
    const { enter } = createConcurrency(0);
    expect(Array.from({ length: 100 }, () => enter('a')).every((entered) => entered !== undefined)).toBe(true);
  });
});
