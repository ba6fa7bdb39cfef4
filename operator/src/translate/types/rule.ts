/** The contract of a file of `rules/`: how resources of one Kind become entries. */
import type { Issue } from '@gatehouse/crds';
import type { KindName, ResourceOf } from '@gatehouse/crds/kinds';
import type { EntryBody, EntryKind } from '@gatehouse/crds/snapshot';
import type { Finding } from './findings.ts';
import type { Lookups } from './lookups.ts';
import type { SecretFetch } from './managed.ts';
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
  /** Keys of the Guardrails that the object names, as of verdicts. */
  readonly uses?: readonly string[] | undefined;
  /** What is to be fetched from a secret manager for the object. */
  readonly fetch?: SecretFetch | undefined;
}

/** Where an object is, and who owns it. */
export interface ObjectScope {
  /** Empty for cluster-scoped Kinds. */
  readonly namespace: string;
  /** The workspace that owns the namespace; null: the organisation, also for cluster-scoped Kinds. */
  readonly workspace: string | null;
  readonly settings: WorldSettings;
}

export interface KindRule<K extends KindName> {
  readonly kind: K;
  /** What this version cannot serve of a resource, beyond what its schema says. */
  check?(resource: ResourceOf<K>): Issue[];
  /** Reads other objects only through `view`: the object is translated again when one of the results changes. */
  translate(resource: ResourceOf<K>, scope: ObjectScope, view: Lookups): RuleResult;
}

/** Types the rule of a Kind. */
export const defineRule = <const K extends KindName>(translator: KindRule<K>): KindRule<K> => translator;
