import { namespaceOf, type ObjectKey } from '../client/index.ts';
import type { NamesByAccess } from './access-probe.ts';

export interface NameAccess {
  /** By namespace; only namespaces with names. */
  readonly byNamespace: ReadonlyMap<string, NamesByAccess>;
  put(key: ObjectKey, where: keyof NamesByAccess): void;
  remove(key: ObjectKey): void;
  isDenied(key: ObjectKey): boolean;
  deniedIn(namespace: string): ReadonlySet<ObjectKey>;
  /** Whether nothing of a namespace may be read, as far as is known. */
  isShut(namespace: string): boolean;
}

/** Which names of a namespace are watched, and which are denied. */
export function createNameAccess(): NameAccess {
  const byNamespace = new Map<string, { readonly denied: Set<ObjectKey>; readonly watched: Set<ObjectKey> }>();
  const remove = (key: ObjectKey): void => {
    const namespace = namespaceOf(key);
    const names = byNamespace.get(namespace);
    names?.denied.delete(key);
    names?.watched.delete(key);
    if (names?.denied.size === 0 && names.watched.size === 0) byNamespace.delete(namespace);
  };
  const deniedIn = (namespace: string): ReadonlySet<ObjectKey> => byNamespace.get(namespace)?.denied ?? new Set();
  return {
    byNamespace,
    put: (key: ObjectKey, where: 'denied' | 'watched'): void => {
      remove(key);
      const names = byNamespace.get(namespaceOf(key)) ?? { denied: new Set(), watched: new Set() };
      names[where].add(key);
      byNamespace.set(namespaceOf(key), names);
    },
    remove,
    deniedIn,
    isDenied: (key: ObjectKey): boolean => byNamespace.get(namespaceOf(key))?.denied.has(key) ?? false,
    isShut: (namespace: string): boolean =>
      deniedIn(namespace).size > 0 && byNamespace.get(namespace)?.watched.size === 0,
  };
}
