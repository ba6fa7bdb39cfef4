/** The world of resources to the Snapshot that gateways serve, and what is to be said about each resource (DESIGN section 5). */
import { isKindName, KINDS, type KindName } from '@gatehouse/crds/kinds';
import { type AnyEntry, canonicalJson, SCHEMA_VERSION, type Snapshot } from '@gatehouse/crds/snapshot';
import { createSecretHasher } from './holders.ts';
import { TRANSLATION_ORDER } from './kinds/index.ts';
import { createLookups, type Lookups } from './lookups.ts';
import { createResultBook, type Results } from './results.ts';
import { servedBy } from './served.ts';
import { updateSorted } from './sorted.ts';
import { readSources, type Sources } from './sources.ts';
import type { Verdict } from './verdict.ts';
import type { World, WorldSettings } from './world.ts';

export interface Translation {
  /** The same object as before if nothing in it has changed; so is each unchanged entry in it. */
  readonly snapshot: Snapshot;
  /** One per object of our Kinds, sorted by key; an unchanged verdict is the same object as before. */
  readonly verdicts: readonly Verdict[];
  /** How many objects were read and translated anew. */
  readonly work: { readonly parsed: number; readonly translated: number };
  /** For the next call. */
  readonly memo: Memo;
}

/** What the next translation builds on: each object as it was read, what was made of it, and why that would change. */
export interface Memo {
  readonly settings: WorldSettings;
  readonly sources: Sources;
  readonly results: Results;
  /** Entries of every workspace. */
  readonly entries: readonly AnyEntry[];
  readonly served: World['served'];
  readonly hasher: ReturnType<typeof createSecretHasher>;
  readonly grantLists: ReadonlyMap<string, readonly string[]>;
}

/**
 * Translates all resources. Pure: no I/O, no clock, nothing given is changed. An edit costs the reading of the edited
 * object and of those that asked about it, plus one look at every other object. Problems are verdicts: an object that has
 * become invalid or lost a reference keeps its last good entries, marked stale; one that is gone, revoked or no longer
 * permitted leaves at once; a new bad one is left out; the rest is always there.
 */
export function translate(world: World, previous?: Translation): Translation {
  const memo = previous?.memo;
  const trusted = memo !== undefined && isSameSettings(memo.settings, world.settings);
  const hasher = memo?.hasher ?? createSecretHasher();
  const grantLists = new Map(memo?.grantLists);
  const { sources, parsed } = readSources(world, { before: memo?.sources ?? new Map(), trusted });

  const book = createResultBook(memo?.results ?? new Map(), { trusted });
  const { credentialOf } = book;
  const lookups: Lookups = createLookups({ world, sources, hasher, grantLists, credentialOf });
  for (const kind of KIND_NAMES) book.translateAll(kind, sources.get(kind) ?? new Map(), lookups);
  const { results, changes, translated } = book.close();

  const entries = updateSorted(memo?.entries ?? [], changes.entries, ({ id }) => id);
  const verdicts = updateSorted(previous?.verdicts ?? [], changes.verdicts, ({ key }) => key);
  const unchanged = entries === memo?.entries && memo.served === world.served;
  return {
    snapshot: unchanged && previous !== undefined ? previous.snapshot : toSnapshot(entries, world.served),
    verdicts,
    work: { parsed, translated },
    memo: { settings: world.settings, sources, results, entries, served: world.served, hasher, grantLists },
  };
}

/** Kinds that others stand on come first; those without entries last. */
const KIND_NAMES: readonly KindName[] = [
  ...TRANSLATION_ORDER,
  ...Object.keys(KINDS).filter((name): name is KindName => isKindName(name) && !TRANSLATION_ORDER.includes(name)),
];

function toSnapshot(entries: readonly AnyEntry[], served: World['served']): Snapshot {
  const snapshot: Snapshot = { schemaVersion: SCHEMA_VERSION, entries };
  return served === 'all' ? snapshot : servedBy(snapshot, served);
}

const isSameSettings = (a: WorldSettings, b: WorldSettings): boolean => canonicalJson(a) === canonicalJson(b);
