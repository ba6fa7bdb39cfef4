import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { largeMembers, lazyObject, mayHold, mergeObjects, quoted, writeJson } from './lazy.ts';
import { JsonScan } from './scan.ts';

const LIMITS = { depth: 100, nodes: 10_000, stringBytes: 100_000 };
const LARGE = 'x'.repeat(5_000);

function lazy(text: string): Readonly<Record<string, unknown>> {
  const bytes = Buffer.from(text);
  const scan = new JsonScan(bytes, LIMITS, { paused: true, members: 100 });
  scan.run(bytes.length);
  return lazyObject(bytes, scan.members ?? [], {
    broken: () => new Error('broken'),
    nameKind: scan.nameKind,
  });
}

describe('an object with large members', () => {
  const value = { model: 'm', messages: [{ content: LARGE }], stream: true };

  test('reads like the parsed one', () => {
    const object = lazy(JSON.stringify(value));
    expect(Object.keys(object)).toEqual(Object.keys(value));
    expect({ ...object }).toEqual(value);
    expect(object['messages']).toBe(object['messages']);
    expect(JSON.parse(JSON.stringify(object))).toEqual(value);
  });

  test('knows which of its members are large without reading them', () => {
    const object = lazy(`{"a":1,"b":["${LARGE}",tru]}`); // no JSON in there
    expect([largeMembers(object)?.has('a'), largeMembers(object)?.has('b')]).toEqual([false, true]);
    expect(() => object['b']).toThrow('broken');
    expect(largeMembers({})).toBeUndefined();
  });

  test('refuses a small member that is no JSON at once', () => {
    expect(() => lazy('{"a":tru}')).toThrow('broken');
  });

  test('is written with the bytes that its large members came in', () => {
    const text = `{ "a": 1, "b": [ "${LARGE}", 1.0 ] }`;
    expect(writeJson(lazy(text)).toString()).toBe(`{"a":1,"b": [ "${LARGE}", 1.0 ] }`);
  });

  test('keeps a member of any name its own', () => {
    const object = lazy(`{"__proto__":{"x":1},"constructor":"${LARGE}"}`);
    expect(Object.hasOwn(object, '__proto__')).toBe(true);
    expect((object as { x?: number }).x).toBeUndefined();
  });
});

describe('a search for strings in a member', () => {
  const holds = (member: string): boolean =>
    mayHold(lazy(`{"a":["${LARGE}",tru,${member}]}`), 'a', [quoted('role_1'), quoted('other')]); // cannot be parsed

  test('finds names and values, however they are written', () => {
    const members = ['"role_1"', '{"role_1":1}', '{"x":"other"}', '{"\\u0072ole_1":1}', '"role\\u005F1"'];
    expect(members.map(holds)).toEqual([true, true, true, true, true]);
  });

  test('does not parse the member to know that they are absent', () => {
    expect(['"role"', '"a role_1"', '"\\n\\u20ac"'].map(holds)).toEqual([false, false, false]);
  });

  test('leaves members that are not large to their reader', () => {
    expect([mayHold(lazy('{"a":1}'), 'a', []), mayHold({ a: 1 }, 'a', []), mayHold({}, 'a', [])]).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('objects over each other', () => {
  test('give what spreading them gives, large members or not', () => {
    const members = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', '__proto__'), fc.constantFrom(1, 'x', LARGE));
    fc.assert(
      fc.property(members, members, members, (under, middle, over) => {
        const merged = mergeObjects(under, lazy(JSON.stringify(middle)), over);
        expect(JSON.parse(writeJson(merged).toString())).toEqual({ ...under, ...middle, ...over });
        expect({ ...merged }).toEqual({ ...under, ...middle, ...over });
      }),
    );
  });

  test('leave out what JSON leaves out', () => {
    const merged = mergeObjects({}, lazy(`{"a":"${LARGE}"}`), { b: undefined });
    expect(writeJson(merged).toString()).toBe(`{"a":"${LARGE}"}`);
  });
});
