import type { KubeObject, ObjectKey } from '../client/index.ts';

/** The values under which an object is indexed; must depend on the object alone. */
export type IndexFunction<T extends KubeObject> = (object: T) => Iterable<string>;

export interface Index<T extends KubeObject> {
  keys(value: string): ReadonlySet<ObjectKey>;
  update(key: ObjectKey, previous: T | undefined, next: T | undefined): void;
}

const NONE: ReadonlySet<ObjectKey> = new Set();

/** Value to keys, updated object by object. */
export function createIndex<T extends KubeObject>(valuesOf: IndexFunction<T>): Index<T> {
  const keysByValue = new Map<string, Set<ObjectKey>>();
  const drop = (value: string, key: ObjectKey): void => {
    const keys = keysByValue.get(value);
    keys?.delete(key);
    if (keys?.size === 0) keysByValue.delete(value);
  };
  const add = (value: string, key: ObjectKey): void => {
    const keys = keysByValue.get(value);
    if (keys === undefined) keysByValue.set(value, new Set([key]));
    else keys.add(key);
  };
  return {
    keys: (value) => keysByValue.get(value) ?? NONE,
    update: (key, previous, next) => {
      if (previous !== undefined) for (const value of valuesOf(previous)) drop(value, key);
      if (next !== undefined) for (const value of valuesOf(next)) add(value, key);
    },
  };
}
