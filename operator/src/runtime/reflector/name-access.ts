import { namespaceOf, type ObjectKey } from '../client/index.ts';
import type { NamesByAccess } from './access-probe.ts';

export interface NameAccess {
  /** By namespace; only namespaces with names. */
  readonly places: ReadonlyMap<string, NamesByAccess>;
  put(key: ObjectKey, where: keyof NamesByAccess): void;
  remove(key: ObjectKey): void;
  isDenied(key: ObjectKey): boolean;
  deniedIn(namespace: string): ReadonlySet<ObjectKey>;
  /** Whether nothing of a namespace may be read, as far as is known. */
  isShut(namespace: string): boolean;
}

/** Which names of a namespace are watched, and which are denied. */
export function createNameAccess(): NameAccess {
  const places = new Map<string, { readonly denied: Set<ObjectKey>; readonly watched: Set<ObjectKey> }>();
  const remove = (key: ObjectKey): void => {
    const namespace = namespaceOf(key);
    const place = places.get(namespace);
    place?.denied.delete(key);
    place?.watched.delete(key);
    if (place?.denied.size === 0 && place.watched.size === 0) places.delete(namespace);
  };
  const deniedIn = (namespace: string): ReadonlySet<ObjectKey> => places.get(namespace)?.denied ?? new Set();
  return {
    places,
    put: (key: ObjectKey, where: 'denied' | 'watched'): void => {
      remove(key);
      const place = places.get(namespaceOf(key)) ?? { denied: new Set(), watched: new Set() };
      place[where].add(key);
      places.set(namespaceOf(key), place);
    },
    remove,
    deniedIn,
    isDenied: (key: ObjectKey): boolean => places.get(namespaceOf(key))?.denied.has(key) ?? false,
    isShut: (namespace: string): boolean => deniedIn(namespace).size > 0 && places.get(namespace)?.watched.size === 0,
  };
}
