/**
 * Translates all resources into the Snapshot that gateways serve, and a verdict for each resource. See
 * docs/behaviour/publishing.md.
 */
import { type AnyEntry, canonicalJson, SCHEMA_VERSION, type Snapshot } from '@gatehouse/crds/snapshot';
import { applyQuotas, SHARED_KINDS } from './apply-quotas.ts';
import type { ObjectState, ObjectStates, ParsedObject } from './incremental/index.ts';
import {
  NOTHING_PUBLISHED,
  type PublishedEntries,
  resourceOf,
  runToEnd,
  type Sliced,
  updateSorted,
} from './incremental/index.ts';
import { createLookups } from './lookups.ts';
import { findDue, NO_QUOTA, type ParsedObjects, parseObjects } from './parse-objects.ts';
import {
  createNamespaceOwners,
  createSecretHasher,
  EMPTY_LEDGER,
  type KeyClaims,
  type Ledger,
  NO_KEY_CLAIMS,
  previousEntries,
  type SecretHasher,
  snapshotForWorkspaces,
  updateKeyClaims,
} from './rules/shared/index.ts';
import { type Changes, type DependentsByKind, translateObjects } from './translate-objects.ts';
import type { Failure, Lookups, NamespaceOwners, SecretFetch, Verdict } from './types/index.ts';
import { objectKey, type World, type WorldSettings } from './types/index.ts';

export interface Translation {
  /** The same object as before if nothing in it has changed; the same holds for each entry. */
  readonly snapshot: Snapshot;
  /** One per object of our Kinds, sorted by key; an unchanged verdict is the same object as before. */
  readonly verdicts: readonly Verdict[];
  /** New verdicts, and the keys of objects that have none any more. */
  readonly changes: { readonly verdicts: readonly Verdict[]; readonly gone: readonly string[] };
  /** Objects whose content was parsed, refused or missing in this translation. */
  readonly contents: readonly ContentState[];
  /** What is to be fetched from secret managers; an unchanged one is the same object as before. */
  readonly fetches: readonly SecretFetch[];
  /** Objects on which this translation failed. */
  readonly failures: readonly Failure[];
  /** How many objects were parsed and translated in this run. */
  readonly work: { readonly parsed: number; readonly translated: number };
  /** For the next call. */
  readonly memo: Memo;
}

export type ContentState = Pick<ParsedObject, 'kind' | 'key' | 'object' | 'content'>;

/** What the next translation builds on: each object as it was parsed and translated, and what it depends on. */
export interface Memo {
  readonly settings: WorldSettings;
  readonly objects: World['resources'];
  readonly states: ObjectStates;
  readonly dependents: DependentsByKind;
  readonly keyClaims: KeyClaims;
  /** What the objects of each namespace weigh. */
  readonly ledger: Ledger;
  /** Entries of every workspace. */
  readonly entries: readonly AnyEntry[];
  readonly served: World['served'];
  readonly hasher: SecretHasher;
  readonly grantLists: ReadonlyMap<string, readonly string[]>;
}

/**
 * Translates all resources. Pure: no I/O, no clock, and inputs are not changed. An edit costs parsing the edited object and
 * translating it and its dependents, and, where a Kind comes as a plain Map, one look at each of its objects. Problems become
 * verdicts: an object that is invalid or lost a reference keeps its last good entries, marked stale; one that is deleted,
 * revoked or no longer permitted loses its entries at once; a new invalid object has none; everything else is published.
 * `publishedBefore` replaces the entries of an earlier translation, for the first one after a start.
 */
export function translate(world: World, previous?: Translation, publishedBefore?: PublishedEntries): Translation {
  return runToEnd(translateInSlices(world, previous, publishedBefore));
}

/** The same in slices of a few milliseconds, for callers with other work in between. */
export function* translateInSlices(
  world: World,
  previous?: Translation,
  publishedBefore: PublishedEntries = NOTHING_PUBLISHED,
): Sliced<Translation> {
  const { settings, served } = world;
  const memo = previous?.memo;
  const published = memo === undefined ? publishedBefore : NOTHING_PUBLISHED;
  const trusted = memo !== undefined && canonicalJson(memo.settings) === canonicalJson(settings);
  const hasher = memo?.hasher ?? createSecretHasher();
  const grantLists = new Map(memo?.grantLists);
  const past = { before: memo?.states ?? new Map(), objects: memo?.objects ?? new Map(), trusted };
  const shared = yield* parseObjects(world, past.before, findDue(world, past, SHARED_KINDS), NO_QUOTA);
  const owners = createNamespaceOwners({ world, states: shared.states, published });
  const { ledger, due, quotaCheck } = yield* applyQuotas(world, {
    past,
    shared: shared.states,
    ledger: memo?.ledger ?? EMPTY_LEDGER,
    owners,
    published,
  });
  const read = together(shared, yield* parseObjects(world, past.before, due, quotaCheck));
  const hashOf: Lookups['hashOf'] = (namespace, name, entry, owner) => {
    const data = world.secrets.get(objectKey(namespace, name));
    return owner === undefined || data?.owner === owner ? hasher(data, entry) : undefined;
  };
  const { claims: keyClaims, affected } = updateKeyClaims(memo?.keyClaims ?? NO_KEY_CLAIMS, {
    changed: read.changed.get('ApiKey') ?? [],
    resourceOf: (key) => resourceOf(read.states, 'ApiKey', key),
    // Where it throws, the rule of the ApiKey throws, too, and the ApiKey gets the verdict.
    hashOf: (...args) => orUndefined(() => hashOf(...args)),
    servedHashOf: (key) => servedHashOf(read.states.get('ApiKey')?.get(key), published, owners),
  });
  yield;
  const changed = new Map(read.changed).set('ApiKey', [...(read.changed.get('ApiKey') ?? []), ...affected]);
  const { states, dependents, changes, translated, failures, fetches } = yield* translateObjects(read.states, {
    changed,
    gone: read.gone,
    dependents: memo?.dependents ?? new Map(),
    settings,
    published,
    lookupsWith: (credentialOf) =>
      createLookups({ world, states: read.states, owners, keyClaims, published, grantLists, hashOf, credentialOf }),
  });
  yield;
  const entries = updateSorted(memo?.entries ?? [], changes.entries, ({ id }) => id);
  yield;
  const verdicts = updateSorted(previous?.verdicts ?? [], changes.verdicts, ({ key }) => key);
  const unchanged = entries === memo?.entries && memo.served === served;
  return {
    snapshot: unchanged && previous !== undefined ? previous.snapshot : toSnapshot(entries, served),
    verdicts,
    changes: verdictChanges(changes.verdicts),
    contents: contentsOf(read),
    failures: [...read.failures, ...failures],
    fetches,
    work: { parsed: read.parsed, translated },
    memo: {
      settings,
      objects: new Map(world.resources),
      states,
      dependents,
      keyClaims,
      ledger,
      entries,
      served,
      hasher,
      grantLists,
    },
  };
}

/** Removed objects without content need no fetch. */
function contentsOf({ states, changed }: ParsedObjects): readonly ContentState[] {
  const contents: ContentState[] = [];
  for (const [kind, keys] of changed) {
    for (const key of keys) {
      const parsed = states.get(kind)?.get(key)?.parsed;
      if (parsed === undefined || (parsed.content !== 'awaited' && parsed.object.weight !== undefined)) continue;
      contents.push({ kind, key, object: parsed.object, content: parsed.content });
    }
  }
  return contents;
}

const together = (a: ParsedObjects, b: ParsedObjects): ParsedObjects => ({
  states: new Map([...a.states, ...b.states]),
  changed: new Map([...a.changed, ...b.changed]),
  gone: [...a.gone, ...b.gone],
  parsed: a.parsed + b.parsed,
  failures: [...a.failures, ...b.failures],
});

function orUndefined<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

/** Of several hashes the first one is the current one. */
function servedHashOf(
  state: ObjectState | undefined,
  published: PublishedEntries,
  { ownerOf }: NamespaceOwners,
): string | undefined {
  const [entry] = state === undefined ? [] : previousEntries(state, published, ownerOf);
  return entry?.kind === 'key' ? entry.body.sha256[0] : undefined;
}

function verdictChanges({ came, left }: Changes['verdicts']): Translation['changes'] {
  const said = new Set(came.map(({ key }) => key));
  return { verdicts: came, gone: [...left].map(({ key }) => key).filter((key) => !said.has(key)) };
}

function toSnapshot(entries: readonly AnyEntry[], served: World['served']): Snapshot {
  const snapshot: Snapshot = { schemaVersion: SCHEMA_VERSION, entries };
  return served === 'all' ? snapshot : snapshotForWorkspaces(snapshot, served);
}
