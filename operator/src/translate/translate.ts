/** The world of resources to the Snapshot that gateways serve, and what is to be said about each resource (DESIGN section 5). */
import { type AnyEntry, canonicalJson, SCHEMA_VERSION, type Snapshot } from '@gatehouse/crds/snapshot';
import { admit, SHARED_KINDS } from './admit-objects.ts';
import type { Item, Items, Source } from './incremental/index.ts';
import { finish, type LastGood, NOTHING_PUBLISHED, resourceOf, type Steps, updateSorted } from './incremental/index.ts';
import { createLookups } from './lookups.ts';
import { dueOf, EVERYTHING_READ, type ReadItems, readItems } from './parse-objects.ts';
import {
  createOwners,
  createSecretHasher,
  type Holdings,
  type Ledger,
  NO_HOLDINGS,
  NO_LEDGER,
  type SecretHasher,
  servedBy,
  servedSoFar,
  updateHoldings,
} from './rules/shared/index.ts';
import { type Changes, type ReadersByKind, translateItems } from './translate-objects.ts';
import type { Failure, Lookups, Owners, Verdict } from './types/index.ts';
import { objectKey, type World, type WorldSettings } from './types/index.ts';

export interface Translation {
  /** The same object as before if nothing in it has changed; so is each unchanged entry in it. */
  readonly snapshot: Snapshot;
  /** One per object of our Kinds, sorted by key; an unchanged verdict is the same object as before. */
  readonly verdicts: readonly Verdict[];
  /** The verdicts that were not said before, and the keys of objects that are no longer judged. */
  readonly news: { readonly verdicts: readonly Verdict[]; readonly gone: readonly string[] };
  /** Of objects whose content has been read, refused or missed anew. */
  readonly contents: readonly ContentState[];
  /** Objects on which this translation has failed. */
  readonly failures: readonly Failure[];
  /** How many objects were read and translated anew. */
  readonly work: { readonly parsed: number; readonly translated: number };
  /** For the next call. */
  readonly memo: Memo;
}

export type ContentState = Pick<Source, 'kind' | 'key' | 'object' | 'content'>;

/** What the next translation builds on: each object as it was read, what was made of it, and why that would change. */
export interface Memo {
  readonly settings: WorldSettings;
  readonly objects: World['resources'];
  readonly items: Items;
  readonly readers: ReadersByKind;
  readonly holdings: Holdings;
  /** What the objects of each namespace weigh. */
  readonly ledger: Ledger;
  /** Entries of every workspace. */
  readonly entries: readonly AnyEntry[];
  readonly served: World['served'];
  readonly hasher: SecretHasher;
  readonly grantLists: ReadonlyMap<string, readonly string[]>;
}

/**
 * Translates all resources. Pure: no I/O, no clock, nothing given is changed. An edit costs the reading of the edited
 * object and of those that asked about it, and where a kind comes as a plain Map one look at each of its objects. Problems are verdicts: an object that has
 * become invalid or lost a reference keeps its last good entries, marked stale; one that is gone, revoked or no longer
 * permitted leaves at once; a new bad one is left out; the rest is always there. `published` stands in for the entries of a
 * translation that nobody remembers; it matters for the first one only.
 */
export function translate(world: World, previous?: Translation, published?: LastGood): Translation {
  return finish(translating(world, previous, published));
}

/** The same in slices of a few milliseconds, for who has something else to do in between. */
export function* translating(
  world: World,
  previous?: Translation,
  published: LastGood = NOTHING_PUBLISHED,
): Steps<Translation> {
  const { settings, served } = world;
  const memo = previous?.memo;
  const lastGood = memo === undefined ? published : NOTHING_PUBLISHED;
  const trusted = memo !== undefined && canonicalJson(memo.settings) === canonicalJson(settings);
  const hasher = memo?.hasher ?? createSecretHasher();
  const grantLists = new Map(memo?.grantLists);
  const past = { before: memo?.items ?? new Map(), objects: memo?.objects ?? new Map(), trusted };
  const shared = yield* readItems(world, past.before, dueOf(world, past, SHARED_KINDS), EVERYTHING_READ);
  const owners = createOwners({ world, items: shared.items, lastGood });
  const { ledger, due, admission } = yield* admit(world, {
    past,
    shared: shared.items,
    ledger: memo?.ledger ?? NO_LEDGER,
    owners,
    lastGood,
  });
  const read = together(shared, yield* readItems(world, past.before, due, admission));
  const hashOf: Lookups['hashOf'] = (namespace, name, entry, owner) => {
    const data = world.secrets.get(objectKey(namespace, name));
    return owner === undefined || data?.owner === owner ? hasher(data, entry) : undefined;
  };
  const { holdings, affected } = updateHoldings(memo?.holdings ?? NO_HOLDINGS, {
    changed: read.changed.get('ApiKey') ?? [],
    resourceOf: (key) => resourceOf(read.items, 'ApiKey', key),
    // Where it fails the ApiKey itself asks again, and is judged for it.
    hashOf: (...args) => orUndefined(() => hashOf(...args)),
    servedHashOf: (key) => servedHashOf(read.items.get('ApiKey')?.get(key), lastGood, owners),
  });
  yield;
  const changed = new Map(read.changed).set('ApiKey', [...(read.changed.get('ApiKey') ?? []), ...affected]);
  const { items, readers, changes, translated, failures } = yield* translateItems(read.items, {
    changed,
    gone: read.gone,
    readers: memo?.readers ?? new Map(),
    settings,
    lastGood,
    lookupsWith: (credentialOf) =>
      createLookups({ world, items: read.items, owners, holdings, lastGood, grantLists, hashOf, credentialOf }),
  });
  yield;
  const entries = updateSorted(memo?.entries ?? [], changes.entries, ({ id }) => id);
  yield;
  const verdicts = updateSorted(previous?.verdicts ?? [], changes.verdicts, ({ key }) => key);
  const unchanged = entries === memo?.entries && memo.served === served;
  return {
    snapshot: unchanged && previous !== undefined ? previous.snapshot : toSnapshot(entries, served),
    verdicts,
    news: newsOf(changes.verdicts),
    contents: contentsOf(read),
    failures: [...read.failures, ...failures],
    work: { parsed: read.parsed, translated },
    memo: {
      settings,
      objects: new Map(world.resources),
      items,
      readers,
      holdings,
      ledger,
      entries,
      served,
      hasher,
      grantLists,
    },
  };
}

/** Nothing is to be done about what is not there and need not be. */
function contentsOf({ items, changed }: ReadItems): readonly ContentState[] {
  const states: ContentState[] = [];
  for (const [kind, keys] of changed) {
    for (const key of keys) {
      const source = items.get(kind)?.get(key)?.source;
      if (source === undefined || (source.content !== 'awaited' && source.object.weight !== undefined)) continue;
      states.push({ kind, key, object: source.object, content: source.content });
    }
  }
  return states;
}

const together = (a: ReadItems, b: ReadItems): ReadItems => ({
  items: new Map([...a.items, ...b.items]),
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

/** Of several hashes the first is the current one. */
function servedHashOf(item: Item | undefined, lastGood: LastGood, { ownerOf }: Owners): string | undefined {
  const [entry] = item === undefined ? [] : servedSoFar(item, lastGood, ownerOf);
  return entry?.kind === 'key' ? entry.body.sha256[0] : undefined;
}

function newsOf({ came, left }: Changes['verdicts']): Translation['news'] {
  const said = new Set(came.map(({ key }) => key));
  return { verdicts: came, gone: [...left].map(({ key }) => key).filter((key) => !said.has(key)) };
}

function toSnapshot(entries: readonly AnyEntry[], served: World['served']): Snapshot {
  const snapshot: Snapshot = { schemaVersion: SCHEMA_VERSION, entries };
  return served === 'all' ? snapshot : servedBy(snapshot, served);
}
