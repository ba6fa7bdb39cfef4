/** Second half of a translation: what is made of each object, kept for as long as everything it has read stays the same. */
import { KINDS, type KindName, type ResourceOf } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import { toEntries, toStale } from './entries.ts';
import { type Effect, type Finding, fromIssue, missing } from './findings.ts';
import { type Made, makerOf, type Place } from './kinds/index.ts';
import type { Lookups } from './lookups.ts';
import { type Read, recordReads, stillHolds } from './recorder.ts';
import { IMPLIED_ORGANISATION, type Source } from './sources.ts';
import { toVerdict, type Verdict } from './verdict.ts';

export interface Result {
  readonly source: Source;
  readonly reads: readonly Read[];
  /** In whose hands the object was when the entries were made. */
  readonly workspace: string | null | undefined;
  readonly entries: readonly AnyEntry[];
  readonly verdict: Verdict;
}

export type Results = ReadonlyMap<KindName, ReadonlyMap<string, Result>>;

interface Change<T> {
  readonly left: Set<T>;
  readonly came: T[];
}

export interface Changes {
  readonly entries: Change<AnyEntry>;
  readonly verdicts: Change<Verdict>;
}

export interface ResultBook {
  translateAll(kind: KindName, sources: ReadonlyMap<string, Source>, lookups: Lookups): void;
  /** Answers for Integrations once they are translated. */
  credentialOf(integrationKey: string): string | null | undefined;
  close(): { readonly results: Results; readonly changes: Changes; readonly translated: number };
}

const NONE: ReadonlyMap<string, Result> = new Map();

/** Opens a book on what was made before; `trusted` is false when the rules themselves have changed since. */
export function createResultBook(before: Results, { trusted }: { readonly trusted: boolean }): ResultBook {
  const results = new Map<KindName, ReadonlyMap<string, Result>>();
  const changes: Changes = { entries: { left: new Set(), came: [] }, verdicts: { left: new Set(), came: [] } };
  let translated = 0;
  return {
    translateAll: (kind, sources, lookups) => {
      const known = before.get(kind) ?? NONE;
      const now = new Map<string, Result>();
      let reused = 0;
      for (const [key, source] of sources) {
        const last = known.get(key);
        const result = trusted && isCurrent(last, source, lookups) ? last : translateOne(source, last, lookups);
        now.set(key, result);
        if (result === last) reused += 1;
        else noteChange(changes, last, result);
      }
      translated += now.size - reused;
      if (reused < known.size) noteGone(changes, known, now);
      results.set(kind, reused === now.size && reused === known.size ? known : now);
    },
    credentialOf: (key) => {
      const result = results.get('Integration')?.get(key);
      const resource = result?.source.resource as ResourceOf<'Integration'> | undefined; // what the map of that Kind holds
      if (result === undefined || resource === undefined) return undefined;
      return resource.spec.secretRef === undefined ? null : result.entries[0]?.id;
    },
    close: () => ({ results, changes, translated }),
  };
}

function isCurrent(last: Result | undefined, source: Source, lookups: Lookups): last is Result {
  return last?.source === source && last.reads.every((read) => stillHolds(lookups, read));
}

function noteGone(changes: Changes, known: ReadonlyMap<string, Result>, now: ReadonlyMap<string, Result>): void {
  for (const [key, gone] of known) if (!now.has(key)) noteChange(changes, gone, undefined);
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

function translateOne(source: Source, before: Result | undefined, lookups: Lookups): Result {
  const { key, object, issues } = source;
  const { view, reads } = recordReads(lookups);
  const place = placeOf(source, view);
  const made = make(source, place, view);
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
