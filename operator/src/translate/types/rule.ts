/** What a file of this folder gives: how resources of one Kind become entries. */
import type { Issue } from '@gatehouse/crds';
import type { KindName, ResourceOf } from '@gatehouse/crds/kinds';
import type { EntryBody, EntryKind } from '@gatehouse/crds/snapshot';
import type { Finding } from './findings.ts';
import type { Lookups } from './lookups.ts';
import type { WorldSettings } from './world.ts';

/** An entry before it has an id and a digest. */
export type EntryDraft = {
  [K in EntryKind]: {
    readonly kind: K;
    readonly workspace: string | null;
    readonly name: string;
    readonly body: EntryBody<K>;
  };
}[EntryKind];

export interface RuleResult {
  readonly entries: readonly EntryDraft[];
  readonly findings: readonly Finding[];
}

/** Where an object stands. */
export interface ObjectScope {
  /** Empty for cluster-scoped Kinds. */
  readonly namespace: string;
  /** Whose namespace that is: a workspace, or null for the organisation and for cluster-scoped Kinds. */
  readonly workspace: string | null;
  readonly settings: WorldSettings;
}

export interface KindRule<K extends KindName> {
  readonly kind: K;
  /** What this version cannot serve of a resource, beyond what its schema says. */
  check?(resource: ResourceOf<K>): Issue[];
  /** Everything it wants to know of other objects goes through `view`: that is what it will be made again for. */
  translate(resource: ResourceOf<K>, place: ObjectScope, view: Lookups): RuleResult;
}

/** Gives the translator of a Kind its types. */
export const defineRule = <const K extends KindName>(translator: KindRule<K>): KindRule<K> => translator;
