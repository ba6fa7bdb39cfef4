import { API_VERSION, type KindName, type ResourceOf } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import type { Finding, QuotaRow, Verdict, WorldObject } from '../types/index.ts';
import { byAge } from '../types/index.ts';
import type { LayeredMap } from './layered-map.ts';

export interface ParsedObject<K extends KindName = KindName> {
  readonly kind: K;
  readonly key: string;
  readonly object: WorldObject;
  /** What counts: what the object says or, if that is not valid, the last it said that was. */
  readonly resource: ResourceOf<K> | undefined;
  /** Why the object, as it is now, does not count. */
  readonly refusals: readonly Finding[];
  /** Absent for Kinds that no bounds are about. */
  readonly row?: QuotaRow | undefined;
  /** Whether the object was read as it is now, is not to be, or is to be as soon as its content is there. */
  readonly content: 'read' | 'refused' | 'awaited';
}

/** An object with what was last made of it: of this very parsed, or of an earlier one. */
export interface ObjectState {
  readonly parsed: ParsedObject;
  readonly translated: TranslatedObject | undefined;
}

export type ObjectStates = ReadonlyMap<KindName, LayeredMap<ObjectState>>;

/** Stands for the Organisation of an installation that has none: everything by default. */
export const DEFAULT_ORGANISATION: WorldObject = {
  apiVersion: API_VERSION,
  kind: 'Organisation',
  metadata: { name: 'default', generation: 0 },
  spec: {},
};

/** The resource that counts under a key. */
export function resourceOf<K extends KindName>(states: ObjectStates, kind: K, key: string): ResourceOf<K> | undefined {
  // Each Kind's map holds states of that Kind; the type of the outer map cannot say so.
  return states.get(kind)?.get(key)?.parsed.resource as ResourceOf<K> | undefined;
}

/** All resources of a Kind that count, oldest first. */
export function resourcesOf<K extends KindName>(states: ObjectStates, kind: K): readonly ResourceOf<K>[] {
  const found: ResourceOf<K>[] = [];
  states.get(kind)?.forEach(({ parsed: { resource } }) => {
    if (resource !== undefined) found.push(resource as ResourceOf<K>); // as above
  });
  return found.sort(byAge);
}

export interface TranslatedObject {
  readonly parsed: ParsedObject;
  /** What was asked to make it. */
  readonly dependencies: string;
  /** In whose hands the object was when the entries were made. */
  readonly workspace: string | null | undefined;
  readonly entries: readonly AnyEntry[];
  readonly verdict: Verdict;
}
