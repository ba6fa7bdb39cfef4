/** Second half of a translation: what is made of each object, kept for as long as everything it has read stays the same. */

import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import type { LastGood } from './incremental/index.ts';
import {
  createRecorder,
  IMPLIED_ORGANISATION,
  type Item,
  type Items,
  inSlices,
  LayeredMap,
  misinformed,
  type Outcome,
  questionsOf,
  type Read,
  type ReadersOfKind,
  type Recorder,
  type Rereading,
  type Source,
  type Steps,
  toEntries,
  toStale,
  updateReaders,
} from './incremental/index.ts';
import { makerOf } from './rules/index.ts';
import { hasSecrets, stillPermitted, withReachOfNow } from './rules/shared/index.ts';
import { type Findings, toVerdict } from './to-verdict.ts';
import type { Lookups, Made, Place, Verdict, WorldSettings } from './types/index.ts';
import { type Effect, FAULT, type Failure, type Finding, unowned, verdictKey } from './types/index.ts';

interface Change<T> {
  readonly left: Set<T>;
  readonly came: T[];
}

export interface Changes {
  readonly entries: Change<AnyEntry>;
  readonly verdicts: Change<Verdict>;
}

export type ReadersByKind = ReadonlyMap<KindName, ReadersOfKind>;

interface TranslateOptions {
  /** Keys of what is new, edited, gone or otherwise concerned. */
  readonly changed: ReadonlyMap<KindName, Iterable<string>>;
  /** What was made of objects that are gone. */
  readonly gone: readonly Outcome[];
  readonly readers: ReadersByKind;
  readonly settings: WorldSettings;
  readonly lastGood: LastGood;
  /** The lookups, completed by what this half alone knows: the credentials of Integrations already translated. */
  lookupsWith(credentialOf: Lookups['credentialOf']): Lookups;
}

export interface Translated {
  readonly items: Items;
  readonly readers: ReadersByKind;
  readonly changes: Changes;
  /** How many objects were translated anew. */
  readonly translated: number;
  readonly failures: readonly Failure[];
}

/** Translates what has changed or has read something that has; the rest is taken over. */
export function* translateItems(items: Items, options: TranslateOptions): Steps<Translated> {
  const { changed, gone, settings, lastGood, lookupsWith } = options;
  const done = new Map<KindName, LayeredMap<Item>>();
  const readers = new Map<KindName, ReadersOfKind>();
  const changes: Changes = { entries: { left: new Set(), came: [] }, verdicts: { left: new Set(), came: [] } };
  const lookups = lookupsWith((key) => credentialOf(done.get('Integration')?.get(key)));
  const recorder = createRecorder(lookups);
  const intern = createInterner();
  const failures: Failure[] = [];
  let translated = 0;
  for (const outcome of gone) noteChange(changes, outcome, undefined);
  for (const [kind, known] of items) {
    const asked = options.readers.get(kind) ?? new LayeredMap();
    const edits = new Map<string, Item>();
    const rereadings = gone.filter(({ source }) => source.kind === kind).map(toFarewell);
    yield* inSlices(new Set([...(changed.get(kind) ?? []), ...misinformed(asked, lookups)]), (key) => {
      const item = known.get(key);
      if (item === undefined) return;
      const { outcome, reads } = translateOne(item, recorder, { settings, lastGood, intern, failures });
      noteChange(changes, item.outcome, outcome);
      edits.set(key, { source: item.source, outcome });
      rereadings.push({ key, before: item.outcome?.questions, now: { questions: outcome.questions, reads } });
    });
    translated += edits.size;
    done.set(kind, known.with(edits));
    readers.set(kind, updateReaders(asked, rereadings));
  }
  return { items: done, readers, changes, translated, failures };
}

const toFarewell = ({ source, questions }: Outcome): Rereading => ({
  key: source.key,
  before: questions,
  now: undefined,
});

/** Null for an Integration without a credential and headers, undefined for one that cannot be used. */
function credentialOf(item: Item | undefined): string | null | undefined {
  const resource = item?.source.resource;
  if (resource?.kind === 'Integration' && !hasSecrets(resource.spec)) return null;
  return item?.outcome?.entries[0]?.id;
}

function noteChange({ entries, verdicts }: Changes, before: Outcome | undefined, after: Outcome | undefined): void {
  for (const entry of before?.entries ?? []) if (!after?.entries.includes(entry)) entries.left.add(entry);
  for (const entry of after?.entries ?? []) if (!before?.entries.includes(entry)) entries.came.push(entry);
  const [said, says] = [toldOf(before), toldOf(after)];
  if (said === says) return;
  if (said !== undefined) verdicts.left.add(said);
  if (says !== undefined) verdicts.came.push(says);
}

/** Nobody asked for the implied Organisation, so there is nobody to tell about it. */
function toldOf(outcome: Outcome | undefined): Verdict | undefined {
  return outcome?.source.object === IMPLIED_ORGANISATION ? undefined : outcome?.verdict;
}

interface OneOptions extends Pick<TranslateOptions, 'settings' | 'lastGood'> {
  /** One text for all that are equal: a hundred thousand keys ask a few hundred different things. */
  readonly intern: (text: string) => string;
  /** Added to. */
  readonly failures: Failure[];
}

function createInterner(): OneOptions['intern'] {
  const texts = new Map<string, string>();
  return (text) => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
}

function translateOne(
  item: Item,
  recorder: Recorder,
  { settings, lastGood, intern, failures }: OneOptions,
): { readonly outcome: Outcome; readonly reads: readonly Read[] } {
  const { source, outcome: before } = item;
  const { key, object } = source;
  const { value, reads } = recorder.record((view): Judged => {
    try {
      return judge(item, { settings, lastGood }, view);
    } catch (error) {
      failures.push({ key: verdictKey(source.kind, key), error });
      return withoutJudgement(item, { settings, lastGood }, view);
    }
  });
  const { workspace, findings, entries, serves } = value;
  const verdict = toVerdict({ object, key, workspace, findings, serves });
  const known = before?.verdict;
  const outcome = {
    source,
    questions: intern(questionsOf(reads)),
    workspace,
    entries,
    verdict: known !== undefined && isSameVerdict(known, verdict) ? known : verdict,
  };
  return { outcome, reads };
}

type Judged = Pick<Outcome, 'workspace' | 'entries'> & Pick<Findings, 'findings' | 'serves'>;
type JudgeOptions = Pick<TranslateOptions, 'settings' | 'lastGood'>;

function judge(item: Item, { settings, lastGood }: JudgeOptions, view: Lookups): Judged {
  const { source } = item;
  const { refusals } = source;
  const place = placeOf(source, settings, view);
  const last = asOfNow(lastEntries(item, place, lastGood), place, view);
  const kept = source.resource === undefined ? permitted(last, source, { place, view }) : last;
  const made = make(source, place, view);
  // What was good speaks of fields the object may no longer have; only that it has become forbidden is still of interest.
  const findings = refusals.length === 0 ? made.findings : [...refusals, ...made.findings.filter(isWithdrawal)];
  return { workspace: place?.workspace, findings, ...settle(source, made, kept) };
}

function asOfNow(entries: readonly AnyEntry[], place: Place | undefined, view: Lookups): readonly AnyEntry[] {
  if (place === undefined) return entries;
  const now = entries.map((entry) => withReachOfNow(entry, place, view));
  return now.every((entry, i) => entry === entries[i]) ? entries : now;
}

/** After a failure: what was served goes on as far as it is known to be permitted. */
function withoutJudgement(item: Item, { settings, lastGood }: JudgeOptions, view: Lookups): Judged {
  const findings = [FAULT];
  try {
    const place = placeOf(item.source, settings, view);
    const before = asOfNow(lastEntries(item, place, lastGood), place, view);
    const last = permitted(before, item.source, { place, view });
    const serves = last.length > 0 ? 'last good' : 'nothing';
    return { workspace: place?.workspace, findings, entries: toStale(last), serves };
  } catch {
    return { workspace: undefined, findings, entries: [], serves: 'nothing' };
  }
}

/** The entries, if an object of which nothing else is known may keep them. */
function permitted(
  last: readonly AnyEntry[],
  { kind, object }: Source,
  { place, view }: { readonly place: Place | undefined; readonly view: Lookups },
): readonly AnyEntry[] {
  return place === undefined ? last : stillPermitted(last, { kind, object, ...place }, view);
}

/** What was served for the object before, if it is still in the same hands. */
function lastEntries({ source, outcome }: Item, place: Place | undefined, lastGood: LastGood): readonly AnyEntry[] {
  if (place === undefined) return [];
  if (outcome !== undefined) return outcome.workspace === place.workspace ? outcome.entries : [];
  const { kind, object } = source;
  const { metadata } = object;
  return lastGood.of(kind, kind === 'Workspace' ? metadata.name : place.workspace, metadata);
}

/** Undefined in a namespace that belongs to nobody. */
function placeOf({ kind, object }: Source, settings: WorldSettings, view: Lookups): Place | undefined {
  if (KINDS[kind].scope === 'Cluster') return { namespace: '', workspace: null, settings };
  const namespace = object.metadata.namespace ?? '';
  const workspace = view.ownerOf(namespace);
  return workspace === undefined ? undefined : { namespace, workspace, settings };
}

function make({ kind, object, resource }: Source, place: Place | undefined, view: Lookups): Made {
  const maker = makerOf(kind);
  if (maker === undefined || resource === undefined) return { drafts: [], findings: [] };
  if (place !== undefined) return maker(resource, place, view);
  return { drafts: [], findings: [unowned(object.metadata.namespace)] };
}

const isWithdrawal = ({ effect }: Finding): boolean => effect === 'withdraw';

/** Fresh entries, the last good ones, or none. */
function settle(
  { kind, resource, refusals }: Source,
  { drafts, findings }: Made,
  last: readonly AnyEntry[],
): { readonly entries: readonly AnyEntry[]; readonly serves: Verdict['serves'] } {
  const has = (effect: Effect): boolean => findings.some((finding) => finding.effect === effect);
  const idle = makerOf(kind) === undefined;
  if (idle ? refusals.length > 0 : has('withdraw')) return { entries: [], serves: 'nothing' };
  if (resource === undefined || has('keep'))
    return { entries: toStale(last), serves: last.length > 0 ? 'last good' : 'nothing' };
  const stale = refusals.length > 0;
  const generation = resource?.metadata.generation ?? 0;
  return { entries: toEntries(drafts, { generation, stale, before: last }), serves: stale ? 'last good' : 'current' };
}

/** Verdicts are plain data of a few members, and only those of translated objects are compared. */
const isSameVerdict = (a: Verdict, b: Verdict): boolean => JSON.stringify(a) === JSON.stringify(b);
