import { describe, expect, test } from 'vitest';
import { createInterner } from './interning.ts';

describe('interned values', () => {
  test('are the same object when they have the same JSON', () => {
    const interner = createInterner(10);
    const first = interner.value({ a: [1] });
    expect(interner.value({ a: [1] })).toBe(first);
    expect(interner.value({ a: [2] })).toEqual({ a: [2] });
    expect(interner.value(['x'])).not.toBe(interner.value({ 0: 'x' }));
  });

  test('stay as they are when they are long', () => {
    const interner = createInterner(10);
    const long = () => ({ text: 'x'.repeat(5_000) });
    expect(interner.value(long())).not.toBe(interner.value(long()));
  });

  test('are forgotten when so many others have been used since', () => {
    const interner = createInterner(2);
    const first = interner.value({ a: 1 });
    interner.value({ a: 2 });
    expect(interner.value({ a: 1 })).toBe(first);
    interner.value({ a: 3 });
    expect(interner.value({ a: 1 })).toBe(first);
    for (const a of [4, 5]) interner.value({ a });
    expect(interner.value({ a: 1 })).not.toBe(first);
  });
});
