/** Loads a Snapshot: as a whole, or as an update of the one that is served. */
import type { TargetCaps } from '@gatehouse/crds/config';
import type { AnyEntry, EntryBody, Snapshot } from '@gatehouse/crds/snapshot';
import { forEachInSlices } from '../lib/slices.ts';
import type { Provider } from '../providers/contract.ts';
import { type Compiled, type Credentials, compileEntry, toCredential } from './compile.ts';
import type { Credential, OrganisationRecord } from './compiled-entries.ts';
import { changedNames, NO_TABLES, type Tables, TablesBuilder } from './tables.ts';
import { validateEntry } from './validate.ts';

/** One entry of the served Snapshot; reused while its digests stay the same. */
interface LoadedEntry {
  /** Its own and those of its credentials. */
  readonly digest: string;
  readonly compiled: Compiled | undefined;
  readonly entry: AnyEntry;
}

export interface LoadedSnapshot {
  readonly tables: Tables;
  readonly organisation: OrganisationRecord;
  /** By id. An update takes over the map of the previous load, which is not used for another load. */
  readonly held: ReadonlyMap<string, LoadedEntry>;
  /** Reasons by id of entries that cannot be used. */
  readonly skipped: ReadonlyMap<string, string>;
  /** As received, including entries of unknown kinds. */
  readonly given: readonly AnyEntry[];
  readonly secrets: Secrets;
  /** False when several entries have the same id or name, so that their order matters. */
  readonly canUpdate: boolean;
}

interface Secrets {
  readonly fields: Credentials;
  /** Digests of the credential entries, by id. */
  readonly digests: ReadonlyMap<string, string>;
}

export interface LoadContext {
  readonly providers: ReadonlyMap<string, Provider>;
  /** Of saved configs; absent: those of the control plane alone. */
  readonly caps?: TargetCaps | undefined;
}

/** Changed entries, and names that differ from the last full load, up to which an update is faster than a full load. */
const MAX_UPDATE = 2_000;

/** Loads a Snapshot of a version that can be read. Throws when an entry is invalid; the previous load stays usable. */
export async function loadEntries(
  { entries }: Pick<Snapshot, 'entries'>,
  previous: LoadedSnapshot | undefined,
  context: LoadContext,
): Promise<LoadedSnapshot> {
  const updated = previous === undefined ? undefined : await update(entries, previous, context);
  return updated ?? loadAll(entries, previous, context);
}

async function loadAll(
  given: readonly AnyEntry[],
  previous: LoadedSnapshot | undefined,
  context: LoadContext,
): Promise<LoadedSnapshot> {
  const entries: AnyEntry[] = [];
  const fields = new Map<string, Credential>();
  const digests = new Map<string, string>();
  let organisation: OrganisationRecord = { savedConfigsOnly: false, headersToMask: [] };
  await forEachInSlices(given, (raw) => {
    const entry = previous?.held.get(raw.id)?.entry.digest === raw.digest ? raw : validateEntry(raw);
    if (entry === undefined) return;
    entries.push(entry);
    if (entry.kind === 'organisation') organisation = entry.body;
    if (entry.kind === 'credential') {
      fields.set(entry.id, toCredential(entry));
      digests.set(entry.id, entry.digest);
    }
  });

  const draft = new TablesBuilder(NO_TABLES);
  const held = new Map<string, LoadedEntry>();
  const skipped = new Map<string, string>();
  const secrets = { fields, digests };
  const loading = { ...context, secrets };
  await forEachInSlices(entries, (entry) => {
    const one = loadEntry(entry, previous?.held.get(entry.id), loading);
    held.set(entry.id, one);
    if (one.compiled?.kind === 'skipped') skipped.set(entry.id, one.compiled.reason);
    else if (one.compiled !== undefined) draft.add(one.compiled);
  });
  const canUpdate = !draft.isAmbiguous && held.size === entries.length;
  return { tables: draft.finish(), organisation, held, skipped, given, secrets, canUpdate };
}

/** Removed entries with their previous content, and added ones, by id; an entry that was only read again is in both. */
interface EntryChanges {
  readonly removed: ReadonlyMap<string, LoadedEntry | undefined>;
  readonly added: ReadonlyMap<string, LoadedEntry>;
}

/** Undefined when a full load is needed. Cost: the entries that differ, and the comparison that finds them. */
async function update(
  given: readonly AnyEntry[],
  previous: LoadedSnapshot,
  context: LoadContext,
): Promise<LoadedSnapshot | undefined> {
  const moves = await changesTo(given, previous, context);
  const tables = moves === undefined ? undefined : applyToTables(previous.tables, moves);
  if (moves === undefined || tables === undefined) return undefined;
  return { ...previous, ...applyToEntries(previous, moves), tables, given };
}

async function changesTo(
  given: readonly AnyEntry[],
  { given: before, held, tables, secrets, canUpdate }: LoadedSnapshot,
  context: LoadContext,
): Promise<EntryChanges | undefined> {
  const { gone, came } = difference(before, given);
  if (!canUpdate || gone.length + came.length + changedNames(tables) > MAX_UPDATE) return undefined;
  const removed = new Map(gone.map(({ id }) => [id, held.get(id)]));
  const added = new Map<string, LoadedEntry>();
  const loading = { ...context, secrets };
  let hasTwins = false;
  await forEachInSlices(came, (raw) => {
    const known = removed.get(raw.id);
    const entry = known?.entry.digest === raw.digest ? raw : validateEntry(raw);
    if (entry === undefined) return;
    hasTwins ||= added.has(entry.id) || (held.has(entry.id) && known === undefined);
    added.set(entry.id, loadEntry(entry, known, loading));
  });
  return hasTwins ? undefined : { removed, added };
}

function applyToTables(tables: Tables, { removed, added }: EntryChanges): Tables | undefined {
  const draft = new TablesBuilder(tables);
  const left = [...removed].flatMap(([id, one]) => (one === undefined || isSame(one, added.get(id)) ? [] : [one]));
  const came = [...added].flatMap(([id, one]) => (isSame(one, removed.get(id)) ? [] : [one]));
  if ([...left, ...came].some(({ entry }) => affectsOthers(entry))) return undefined;
  for (const { compiled } of left) if (compiled !== undefined) draft.remove(compiled);
  for (const { compiled } of came) if (compiled !== undefined) draft.add(compiled);
  return draft.isAmbiguous ? undefined : draft.finish();
}

const isSame = (a: LoadedEntry, b: LoadedEntry | undefined): boolean => a.digest === b?.digest;

/** Entries on which other entries or all requests depend. */
const affectsOthers = ({ kind }: AnyEntry): boolean => kind === 'credential' || kind === 'organisation';

function applyToEntries(
  { held, skipped }: LoadedSnapshot,
  { removed, added }: EntryChanges,
): Pick<LoadedSnapshot, 'held' | 'skipped'> {
  // Mutated in place: no one else holds it, and a copy of 100,000 entries would stall the event loop.
  const next = held as Map<string, LoadedEntry>;
  const reasons = new Map(skipped);
  for (const id of removed.keys()) {
    next.delete(id);
    reasons.delete(id);
  }
  for (const [id, one] of added) {
    next.set(id, one);
    if (one.compiled?.kind === 'skipped') reasons.set(id, one.compiled.reason);
  }
  return { held: next, skipped: reasons };
}

interface Difference {
  readonly gone: readonly AnyEntry[];
  readonly came: readonly AnyEntry[];
}

/** The parts of two lists between their common beginning and end: entries of unchanged shards are identical objects. */
function difference(before: readonly AnyEntry[], after: readonly AnyEntry[]): Difference {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { gone: before.slice(start, before.length - end), came: after.slice(start, after.length - end) };
}

function loadEntry(
  entry: AnyEntry,
  before: LoadedEntry | undefined,
  { providers, caps, secrets: { fields, digests } }: LoadContext & { readonly secrets: Secrets },
): LoadedEntry {
  const digest = entry.digest + credentialKey(entry, digests);
  const compiled =
    before?.digest === digest ? before.compiled : compileEntry(entry, { providers, caps, credentials: fields });
  return { digest, compiled, entry };
}

/** What an entry is compiled with beside its content. Digests of credentials: a rotated secret recompiles its users. */
function credentialKey(entry: AnyEntry, digests: ReadonlyMap<string, string>): string {
  if (entry.kind === 'guardrail') return keyOf(secretEntriesOf(entry.body), digests);
  if (entry.kind === 'provider') return `+${digests.get(entry.body.credential ?? '') ?? ''}`;
  if (entry.kind !== 'config') return '';
  const generation = `@${entry.generation}`; // records name it, also where the content has stayed the same
  const ids = new Set<string>();
  const pending = [entry.body.node];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.credential !== undefined) ids.add(node.credential);
    pending.push(...(node.targets ?? []));
  }
  return generation + keyOf([...ids].sort(), digests);
}

const secretEntriesOf = ({ checks }: EntryBody<'guardrail'>): readonly string[] =>
  checks.flatMap(({ credential = '', parametersFrom = '' }) => [credential, parametersFrom]);

const keyOf = (credentials: readonly string[], digests: ReadonlyMap<string, string>): string =>
  credentials.reduce((key, id) => `${key}+${digests.get(id) ?? ''}`, '');
