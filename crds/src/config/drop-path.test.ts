import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDropPath } from './drop-path.ts';

const member = (name: string) => ({ kind: 'member', name });

describe('a drop path', () => {
  test.for([
    { path: 'user', want: [member('user')] },
    { path: 'a.b', want: [member('a'), member('b')] },
    { path: 'a[2]', want: [member('a'), { kind: 'index', index: 2 }] },
    { path: 'a[*].b', want: [member('a'), { kind: 'each' }, member('b')] },
    {
      path: 'a[*][0].b[*]',
      want: [member('a'), { kind: 'each' }, { kind: 'index', index: 0 }, member('b'), { kind: 'each' }],
    },
    { path: '__proto__', want: [member('__proto__')] },
  ])('reads $path', ({ path, want }) => {
    expect(parseDropPath(path)).toEqual({ ok: true, value: want });
  });

  test.for(['', '.', 'a.', '.a', 'a..b', '[0]', 'a[', 'a[]', 'a[-1]', 'a[x]', 'a]b', 'a[0]b', 'a[1234567]'])(
    'refuses %j',
    (path) => {
      expect(parseDropPath(path).ok).toBe(false);
    },
  );

  test('has at most sixteen steps', () => {
    const of = (steps: number) => parseDropPath(Array.from({ length: steps }, () => 'a').join('.')).ok;
    expect([of(16), of(17)]).toEqual([true, false]);
  });

  test('never throws', () => {
    fc.assert(fc.property(fc.string(), (path) => void parseDropPath(path)));
  });
});
