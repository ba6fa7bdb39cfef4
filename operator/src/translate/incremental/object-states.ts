/** Each object as it was parsed and as it was translated. */
import { API_VERSION, type KindName, type ResourceOf } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import type { Finding, QuotaRow, SecretFetch, Verdict, WorldObject } from '../types/index.ts';
import { byAge } from '../types/index.ts';
import type { LayeredMap } from './layered-map.ts';

export interface ParsedObject<K extends KindName = KindName> {
  readonly kind: K;
  readonly key: string;
  readonly object: WorldObject;
  /** The resource that is served: what the object says or, if that is not valid, the last valid thing it said. */
  readonly resource: ResourceOf<K> | undefined;
  /** Why the object as it is now is not served. */
  readonly refusals: readonly Finding[];
  /** Absent for Kinds without a quota. */
  readonly row?: QuotaRow | undefined;
  /**
   * `read`: parsed as it is now. `refused`: over quota, not parsed. `awaited`: to be parsed as soon as its content has been
   * fetched.
   */
  readonly content: 'read' | 'refused' | 'awaited';
}

/** A parsed object with its last translation, of this or of an earlier parsed object. */
export interface ObjectState {
  readonly parsed: ParsedObject;
  readonly translated: TranslatedObject | undefined;
}

export type ObjectStates = ReadonlyMap<KindName, LayeredMap<ObjectState>>;

/** Used where an installation has no Organisation: all defaults. */
export const DEFAULT_ORGANISATION: WorldObject = {
  apiVersion: API_VERSION,
  kind: 'Organisation',
  metadata: { name: 'default', generation: 0 },
  spec: {},
};

/** The served resource under a key. */
export function resourceOf<K extends KindName>(states: ObjectStates, kind: K, key: string): ResourceOf<K> | undefined {
  // Each Kind's map holds states of that Kind; the type of the outer map cannot express it.
  return states.get(kind)?.get(key)?.parsed.resource as ResourceOf<K> | undefined;
}

/** All served resources of a Kind, oldest first. */
export function resourcesOf<K extends KindName>(states: ObjectStates, kind: K): readonly ResourceOf<K>[] {
  const found: ResourceOf<K>[] = [];
  states.get(kind)?.forEach(({ parsed: { resource } }) => {
    if (resource !== undefined) found.push(resource as ResourceOf<K>); // as above
  });
  return found.sort(byAge);
}

export interface TranslatedObject {
  readonly parsed: ParsedObject;
  /** See `dependencyKey`. */
  readonly dependencies: string;
  /** The owner of the object when the entries were made. */
  readonly workspace: string | null | undefined;
  readonly entries: readonly AnyEntry[];
  readonly verdict: Verdict;
  /** See `RuleResult`. */
  readonly fetch?: SecretFetch | undefined;
}
