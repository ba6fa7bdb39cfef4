/** Second half of a translation: what is made of each object, kept for as long as everything it has read stays the same. */
import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import { toEntries, toStale } from './entries.ts';
import { type Effect, type Finding, fromIssue, missing } from './findings.ts';
import { type Made, makerOf, type Place } from './kinds/index.ts';
import type { LayeredMap } from './layered-map.ts';
import type { Lookups } from './lookups.ts';
import { createRecorder, type Read, type Recorder, stillHolds } from './recorder.ts';
import { IMPLIED_ORGANISATION, type Item, type Items, type Source } from './sources.ts';
import { toVerdict, type Verdict } from './verdict.ts';

export interface Result {
  readonly source: Source;
  readonly reads: readonly Read[];
  /** In whose hands the object was when the entries were made. */
  readonly workspace: string | null | undefined;
  readonly entries: readonly AnyEntry[];
  readonly verdict: Verdict;
}

interface Change<T> {
  readonly left: Set<T>;
  readonly came: T[];
}

export interface Changes {
  readonly entries: Change<AnyEntry>;
  readonly verdicts: Change<Verdict>;
}

interface TranslateOptions {
  /** What was made of objects that are gone. */
  readonly gone: readonly Result[];
  /** False when the rules themselves have changed since. */
  readonly trusted: boolean;
  /** The lookups, completed by what this half alone knows: the credentials of Integrations already translated. */
  lookupsWith(credentialOf: Lookups['credentialOf']): Lookups;
}

export interface Translated {
  readonly items: Items;
  readonly changes: Changes;
  /** How many objects were translated anew. */
  readonly translated: number;
}

/** Translates what is new or has read something that has changed; the rest is taken over. */
export function translateItems(items: Items, { gone, trusted, lookupsWith }: TranslateOptions): Translated {
  const done = new Map<KindName, LayeredMap<Item>>();
  const changes: Changes = { entries: { left: new Set(), came: [] }, verdicts: { left: new Set(), came: [] } };
  const lookups = lookupsWith((key) => credentialOf(done.get('Integration')?.get(key)));
  const recorder = createRecorder(lookups);
  let translated = 0;
  for (const result of gone) noteChange(changes, result, undefined);
  for (const [kind, known] of items) {
    const edits = new Map<string, Item>();
    known.forEach(({ source, result: last }, key) => {
      if (trusted && last?.source === source && areCurrent(last.reads, lookups)) return;
      const result = translateOne(source, last, recorder);
      noteChange(changes, last, result);
      edits.set(key, { source, result });
    });
    translated += edits.size;
    done.set(kind, known.with(edits));
  }
  return { items: done, changes, translated };
}

/** Null for an Integration that needs no credential, undefined for one that cannot be used. */
function credentialOf(item: Item | undefined): string | null | undefined {
  const resource = item?.source.resource;
  if (resource?.kind !== 'Integration') return undefined;
  return resource.spec.secretRef === undefined ? null : item?.result?.entries[0]?.id;
}

function areCurrent(reads: readonly Read[], lookups: Lookups): boolean {
  for (const read of reads) if (!stillHolds(lookups, read)) return false;
  return true;
}

function noteChange({ entries, verdicts }: Changes, before: Result | undefined, after: Result | undefined): void {
  for (const entry of before?.entries ?? []) if (!after?.entries.includes(entry)) entries.left.add(entry);
  for (const entry of after?.entries ?? []) if (!before?.entries.includes(entry)) entries.came.push(entry);
  const [said, says] = [toldOf(before), toldOf(after)];
  if (said === says) return;
  if (said !== undefined) verdicts.left.add(said);
  if (says !== undefined) verdicts.came.push(says);
}

/** Nobody asked for the implied Organisation, so there is nobody to tell about it. */
function toldOf(result: Result | undefined): Verdict | undefined {
  return result?.source.object === IMPLIED_ORGANISATION ? undefined : result?.verdict;
}

function translateOne(source: Source, before: Result | undefined, recorder: Recorder): Result {
  const { key, object, issues } = source;
  const { value, reads } = recorder.record((view) => {
    const place = placeOf(source, view);
    return { place, made: make(source, place, view) };
  });
  const { place, made } = value;
  // What was good speaks of fields the object may no longer have; only that it has become forbidden is still of interest.
  const findings =
    issues.length === 0 ? made.findings : [...issues.map(fromIssue), ...made.findings.filter(isWithdrawal)];
  const last = before !== undefined && before.workspace === place?.workspace ? before.entries : [];
  const { entries, serves } = settle(source, made, last);
  const verdict = toVerdict({ object, key, findings, serves });
  const known = before?.verdict;
  return {
    source,
    reads,
    workspace: place?.workspace,
    entries,
    verdict: known !== undefined && isSameVerdict(known, verdict) ? known : verdict,
  };
}

/** Undefined in a namespace that belongs to nobody. */
function placeOf({ kind, object }: Source, view: Lookups): Place | undefined {
  if (KINDS[kind].scope === 'Cluster') return { namespace: '', workspace: null };
  const namespace = object.metadata.namespace ?? '';
  const workspace = view.ownerOf(namespace);
  return workspace === undefined ? undefined : { namespace, workspace };
}

function make({ kind, object, resource }: Source, place: Place | undefined, view: Lookups): Made {
  const maker = makerOf(kind);
  if (maker === undefined || resource === undefined) return { drafts: [], findings: [] };
  if (place !== undefined) return maker(resource, place, view);
  const message = `no Workspace has the namespace ${object.metadata.namespace ?? ''}`;
  return { drafts: [], findings: [missing(['metadata', 'namespace'], message, 'withdraw')] };
}

const isWithdrawal = ({ effect }: Finding): boolean => effect === 'withdraw';

/** Fresh entries, the last good ones, or none. */
function settle(
  { kind, resource, issues }: Source,
  { drafts, findings }: Made,
  last: readonly AnyEntry[],
): { readonly entries: readonly AnyEntry[]; readonly serves: Verdict['serves'] } {
  const has = (effect: Effect): boolean => findings.some((finding) => finding.effect === effect);
  const idle = resource === undefined || makerOf(kind) === undefined;
  if (idle ? issues.length > 0 : has('withdraw')) return { entries: [], serves: 'nothing' };
  if (has('keep')) return { entries: toStale(last), serves: last.length > 0 ? 'last good' : 'nothing' };
  const stale = issues.length > 0;
  const generation = resource?.metadata.generation ?? 0;
  return { entries: toEntries(drafts, { generation, stale, before: last }), serves: stale ? 'last good' : 'current' };
}

/** Verdicts are plain data of a few members, and only those of translated objects are compared. */
const isSameVerdict = (a: Verdict, b: Verdict): boolean => JSON.stringify(a) === JSON.stringify(b);
