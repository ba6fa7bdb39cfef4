import { parseDropPath } from '@gatehouse/crds/config';
import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isShaping, NO_SHAPE, type ParamShape, shapeParams } from './shape-params.ts';

const shape = (over: { defaults?: object; overrides?: object; drops?: string[] }): ParamShape => ({
  ...NO_SHAPE,
  ...over,
  defaults: { ...over.defaults },
  overrides: { ...over.overrides },
  drops: (over.drops ?? []).map((path) => unwrap(parseDropPath(path))),
});

describe('shaping', () => {
  test.for<{ rule: string; given: object; by: Parameters<typeof shape>[0]; want: object }>([
    {
      rule: 'fills what the client did not send',
      given: { a: 1 },
      by: { defaults: { a: 2, b: 3 } },
      want: { a: 1, b: 3 },
    },
    { rule: 'takes null for sent', given: { a: null }, by: { defaults: { a: 2 } }, want: { a: null } },
    { rule: 'overrides what the client sent', given: { a: 1 }, by: { overrides: { a: 2 } }, want: { a: 2 } },
    {
      rule: 'merges the top level only',
      given: { a: { b: 1, c: 2 } },
      by: { overrides: { a: { b: 3 } } },
      want: { a: { b: 3 } },
    },
    {
      rule: 'overrides defaults, too',
      given: {},
      by: { defaults: { a: 1 }, overrides: { a: 2 } },
      want: { a: 2 },
    },
    { rule: 'drops last', given: {}, by: { overrides: { a: 1, b: 1 }, drops: ['a'] }, want: { b: 1 } },
    { rule: 'drops a nested member', given: { a: { b: 1, c: 2 } }, by: { drops: ['a.b'] }, want: { a: { c: 2 } } },
    { rule: 'drops an item', given: { a: [1, 2, 3] }, by: { drops: ['a[1]'] }, want: { a: [1, 3] } },
    { rule: 'drops every item', given: { a: [1, 2] }, by: { drops: ['a[*]'] }, want: { a: [] } },
    {
      rule: 'drops a member of every item, on several levels',
      given: { a: [{ b: [{ c: 1, d: 2 }] }, { b: [{ c: 3 }] }] },
      by: { drops: ['a[*].b[*].c'] },
      want: { a: [{ b: [{ d: 2 }] }, { b: [{}] }] },
    },
    {
      rule: 'drops a member of one item',
      given: { a: [{ b: 1 }, { b: 2 }] },
      by: { drops: ['a[1].b'] },
      want: { a: [{ b: 1 }, {}] },
    },
    {
      rule: 'ignores paths that lead nowhere',
      given: { a: [1], b: 'text' },
      by: { drops: ['x', 'a.b', 'a[7]', 'a[0].c', 'b[0]', 'b.c', 'x[*].y'] },
      want: { a: [1], b: 'text' },
    },
    { rule: 'drops no prototype', given: { a: 1 }, by: { drops: ['__proto__', 'constructor'] }, want: { a: 1 } },
  ])('$rule', ({ given, by, want }) => {
    expect(shapeParams(given as Record<string, unknown>, shape(by))).toEqual(want);
  });

  test('merges the members of what is named, where both have some', () => {
    const by = shape({ defaults: { o: { d: 1 } }, overrides: { o: { b: 3 }, p: { b: 3 } } });
    const merged = (given: object): object => shapeParams({ ...given }, by, ['o', 'x']);
    expect(merged({ o: { b: 1, c: 2 }, p: { c: 2 } })).toEqual({ o: { b: 3, c: 2 }, p: { b: 3 } });
    expect(merged({ o: [1] })).toEqual({ o: { b: 3 }, p: { b: 3 } });
    expect(merged({})).toEqual({ o: { b: 3 }, p: { b: 3 } });
  });

  test('drops an own member of any name', () => {
    const given = JSON.parse('{"a":1,"__proto__":{"b":2,"c":3}}');
    expect(JSON.stringify(shapeParams(given, shape({ drops: ['__proto__.b'] })))).toBe('{"a":1,"__proto__":{"c":3}}');
    expect(JSON.stringify(shapeParams(given, shape({ drops: ['__proto__'] })))).toBe('{"a":1}');
  });

  test('that does nothing gives the same object, so that its bytes can go on', () => {
    const given = { a: 1 };
    expect(isShaping(NO_SHAPE)).toBe(false);
    expect(shapeParams(given, NO_SHAPE)).toBe(given);
  });

  test('never changes what it was given', () => {
    const path = fc.stringMatching(/^[a-c](\.[a-c]|\[[0-2*]\]){0,3}$/);
    const inner = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(inner, inner, inner, fc.array(path, { maxLength: 4 }), (given, defaults, overrides, drops) => {
        const before = JSON.stringify([given, defaults, overrides]);
        shapeParams(given, shape({ defaults, overrides, drops }));
        expect(JSON.stringify([given, defaults, overrides])).toBe(before);
      }),
    );
  });
});
