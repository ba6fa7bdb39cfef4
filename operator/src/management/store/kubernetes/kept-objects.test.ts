import { describe, expect, test } from 'vitest';
import { type Cache, createStore, type Store, type StoreWriter } from '../../../runtime/index.ts';
import type { CustomObject } from '../../../world/index.ts';
import type { StoredObject } from '../port.ts';
import { keepObjects } from './kept-objects.ts';

const KIND = 'RateLimitPolicy';
const SPEC = {
  conditions: [{ key: 'model', values: ['@openai/*'] }],
  groupBy: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 10,
};

interface Given {
  readonly namespace?: string;
  readonly version?: number;
  readonly second?: number;
  readonly uid?: string;
  readonly spec?: unknown;
  readonly more?: object;
}

function policy(name: string, given: Given = {}): CustomObject {
  const { namespace = 'team-a', version = 1, second = 0, uid = `uid-${namespace}-${name}`, spec = SPEC, more } = given;
  const creationTimestamp = `2027-01-01T00:00:${String(second).padStart(2, '0')}Z`;
  const metadata = { name, namespace, uid, resourceVersion: String(version), creationTimestamp, ...more };
  return { apiVersion: 'gatehouse.dev/v1alpha1', kind: KIND, metadata, spec };
}

function setup() {
  let nowMs = 0;
  const clock = {
    monotonicMs: () => nowMs,
    wallMs: () => nowMs,
    schedule: () => ({ [Symbol.dispose]: () => undefined }),
  };
  let filled: (Store<CustomObject> & StoreWriter<CustomObject>) | undefined;
  const watch = ((_kind, options) => {
    filled = createStore(options as object) as unknown as typeof filled; // the one Kind that is watched
    return filled;
  }) as Cache['watch'];
  const told: string[] = [];
  const onChange = {
    changed: ({ meta }: StoredObject) => void told.push(`${meta.name} ${meta.resourceVersion}`),
    gone: (_kind: string, uid: string) => void told.push(`${uid} is gone`),
  };
  const kept = keepObjects({ watch }, { kinds: [KIND], clock, onChange });
  if (filled === undefined) throw new Error('nothing is watched');
  const store = filled;
  const put = (...objects: readonly CustomObject[]): void => {
    for (const object of objects) store.put(object, { initial: false });
  };
  const names = (namespace?: string) => kept.list(KIND, namespace).map(({ meta }) => meta.name);
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { kept, put, names, told, pass, remove: (name: string) => store.remove(`team-a/${name}`) };
}

describe('objects that are kept', () => {
  test('are listed in the order of their creation, by namespace and in all', () => {
    const { put, names } = setup();
    put(policy('a', { second: 2 }), policy('b', { second: 1 }), policy('c', { second: 1, namespace: 'team-b' }));
    expect(names('team-a')).toEqual(['b', 'a']);
    expect(names()).toEqual(['b', 'c', 'a']);
    expect(names('team-c')).toEqual([]);
  });

  test('are not copied for a list, however many there are', () => {
    const { kept, put } = setup();
    put(...Array.from({ length: 500 }, (_, i) => policy(`p${i}`)));
    const first = kept.list(KIND, 'team-a');
    expect(kept.list(KIND, 'team-a')).toBe(first);
    put(policy('p7', { version: 2, spec: { ...SPEC, value: 11 } }));
    expect(first[7]?.spec.value).toBe(10);
    const next = kept.list(KIND, 'team-a');
    expect(next.filter((object, i) => object !== first[i]).length).toBe(1);
    expect(kept.list(KIND, 'team-a')).toBe(next);
  });

  test('are told of as watches read them; one that cannot be read any more is not gone', () => {
    const { put, remove, told } = setup();
    put(policy('a'), policy('a', { version: 2, spec: { value: 'no number' } }), policy('a', { version: 3 }));
    put(policy('a', { version: 4, more: { deletionTimestamp: '2027-01-01T00:00:00Z' } }));
    remove('a');
    expect(told).toEqual(['a 1', 'a 3', 'uid-team-a-a is gone', 'uid-team-a-a is gone']);
    put(policy('b', { uid: 'one' }), policy('b', { uid: 'two', version: 2 }));
    expect(told.slice(4)).toEqual(['b 1', 'one is gone', 'b 2']);
  });

  test('are found by their UUID until they are gone', () => {
    const { kept, put, remove } = setup();
    put(policy('a', { uid: 'one' }));
    expect(kept.find(KIND, 'one')?.meta.name).toBe('a');
    put(policy('a', { uid: 'two', version: 2 }));
    expect(kept.find(KIND, 'one')).toBeUndefined();
    expect(kept.find(KIND, 'two')?.meta.name).toBe('a');
    remove('a');
    expect(kept.find(KIND, 'two')).toBeUndefined();
    expect(kept.list(KIND)).toEqual([]);
  });

  test('are those that have the schema of their Kind and are not being deleted', () => {
    const { kept, put, names } = setup();
    put(policy('wrong', { spec: { value: 'x' } }), policy('a'), policy('b'));
    expect(names()).toEqual(['a', 'b']);
    put(policy('a', { version: 2, more: { deletionTimestamp: '2027-01-01T00:00:00Z' } }));
    expect(names()).toEqual(['b']);
    expect(kept.get({ kind: KIND, namespace: 'team-a', name: 'a' })).toBeUndefined();
  });

  test('tell how long ago one went or its spec changed, and so may use another no more', () => {
    const { kept, put, remove, pass } = setup();
    const of = (version: number, generation: number, more = {}): void =>
      put(policy('a', { version, more: { generation, ...more } }));
    of(1, 1);
    expect(kept.msSinceChange()).toBe(Number.POSITIVE_INFINITY);
    of(2, 1); // its status, or its labels
    expect(kept.msSinceChange()).toBe(Number.POSITIVE_INFINITY);
    of(3, 2);
    pass(7);
    expect(kept.msSinceChange()).toBe(7);
    of(4, 2, { deletionTimestamp: '2027-01-01T00:00:00Z' });
    expect(kept.msSinceChange()).toBe(0);
    pass(3);
    remove('a');
    expect(kept.msSinceChange()).toBe(0);
  });

  test('have no copy of themselves in their annotations', () => {
    const { kept, put } = setup();
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', own: '1' };
    put(policy('a', { more: { annotations } }));
    expect(kept.list(KIND)[0]?.meta.annotations).toEqual({ own: '1' });
  });
});

describe('an object that is followed', () => {
  const place = { kind: KIND, namespace: 'team-a', name: 'a' } as const;

  test.for([
    { rule: 'before it is waited for', early: true },
    { rule: 'afterwards', early: false },
  ])('is waited for until its version was read, $rule', async ({ early }) => {
    const { kept, put } = setup();
    using followed = kept.follow(place);
    const write = (): void => put(policy('b'), policy('a', { version: 5 }), policy('a', { version: 6 }));
    if (early) write();
    const read = followed.untilRead('5');
    if (!early) write();
    await read;
    expect(kept.get(place)?.meta.resourceVersion).toBe('6');
  });

  test('is waited for until it is gone', async () => {
    const { kept, put, remove } = setup();
    put(policy('a'));
    using followed = kept.follow(place);
    const gone = followed.untilRead(undefined);
    remove('a');
    await gone;
    expect(kept.get(place)).toBeUndefined();
  });
});
