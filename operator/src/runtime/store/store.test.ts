import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../client/index.ts';
import { deepFreeze } from './freeze.ts';
import { type Change, createStore } from './store.ts';

interface Thing extends KubeObject {
  readonly refs: readonly string[];
}

const thing = (name: string, resourceVersion: string, refs: readonly string[] = []): Thing => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { namespace: 'n', name, uid: name, resourceVersion },
  refs,
});

const fresh = { initial: false };

describe('a store', () => {
  test('reports changes, and nothing when the version is the same', () => {
    const store = createStore<Thing>();
    const changes: Change<Thing>[] = [];
    using _subscription = store.subscribe((change) => changes.push(change));
    store.put(thing('a', '1'), { initial: true });
    const kept = store.get('n/a');
    store.put(thing('a', '1'), fresh);
    expect(store.get('n/a')).toBe(kept);
    store.put(thing('a', '2'), fresh);
    store.remove('n/a');
    store.remove('n/a');
    expect(
      changes.map(({ object, previous, initial }) => [
        previous?.metadata.resourceVersion,
        object?.metadata.resourceVersion,
        initial,
      ]),
    ).toEqual([
      [undefined, '1', true],
      ['1', '2', false],
      ['2', undefined, false],
    ]);
  });

  test('distinguishes a new object of the same name and version from the old one', () => {
    const store = createStore<Thing>();
    store.put(thing('a', '1'), fresh);
    const other = thing('a', '1');
    store.put({ ...other, metadata: { ...other.metadata, uid: 'other' } }, fresh);
    expect(store.get('n/a')?.metadata.uid).toBe('other');
  });

  test('notifies no unsubscribed listener, and drops objects without an event', () => {
    const store = createStore<Thing>();
    const changes: Change<Thing>[] = [];
    const subscription = store.subscribe((change) => changes.push(change));
    store.put(thing('a', '1'), fresh);
    store.evict('n/a');
    subscription[Symbol.dispose]();
    store.put(thing('b', '1'), fresh);
    expect(changes).toHaveLength(1);
    expect([...store.keys(undefined)]).toEqual(['n/b']);
  });

  test('notifies every listener although one of them throws', () => {
    const store = createStore<Thing>();
    const notified: string[] = [];
    store.subscribe(() => {
      throw new Error('boom');
    });
    store.subscribe(({ key }) => notified.push(key));
    expect(() => store.put(thing('a', '1'), fresh)).toThrow('boom');
    expect(notified).toEqual(['n/a']);
    expect(store.size).toBe(1);
  });

  test('keeps what the transformation leaves, frozen to the bottom', () => {
    const store = createStore<Thing>({ transform: (object) => ({ ...object, refs: object.refs.slice(0, 1) }) });
    const given = thing('a', '1', ['x', 'y']);
    const managedFields = [{ manager: 'm' }];
    store.put({ ...given, metadata: Object.assign({ managedFields }, given.metadata) }, fresh);
    expect(store.get('n/a')).toEqual(thing('a', '1', ['x']));
    expect(Object.isFrozen(store.get('n/a')?.metadata) && Object.isFrozen(store.get('n/a')?.refs)).toBe(true);
  });

  test('lists the keys of one namespace', () => {
    const store = createStore<Thing>();
    const other = thing('b', '1');
    store.put(thing('a', '1'), fresh);
    store.put({ ...other, metadata: { ...other.metadata, namespace: 'm' } }, fresh);
    expect([...store.keys('n')]).toEqual(['n/a']);
  });

  test('has an index that equals one built from scratch, after any history', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const refs = fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 4 });
    const step = fc.record({ name, refs: fc.option(refs, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const store = createStore<Thing, 'ref'>({ indexes: { ref: (object) => object.refs } });
        steps.forEach(({ name, refs }, i) => {
          if (refs === undefined) store.remove(`n/${name}`);
          else store.put(thing(name, String(i), refs), fresh);
        });
        for (const value of ['x', 'y', 'z']) {
          const want = [...store.objects].filter(([, object]) => object.refs.includes(value)).map(([key]) => key);
          expect([...store.indexed('ref', value)].toSorted()).toEqual(want.toSorted());
        }
      }),
    );
  });
});

test('freezing reaches every member of any JSON value', () => {
  const isFrozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(isFrozen(deepFreeze(value))).toBe(true);
    }),
  );
});

test('freezing reaches the deepest object that an API server takes', () => {
  const depth = 10_000;
  const value: unknown = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  let levels = 0;
  for (let at = deepFreeze(value); Array.isArray(at) && Object.isFrozen(at); at = at[0]) levels += 1;
  expect(levels).toBe(depth);
});
