/**
 * Second half of a translation: applies the rule of each Kind. A result is kept as long as the object and all lookups of its
 * rule are unchanged.
 */

import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import type { PublishedEntries } from './incremental/index.ts';
import {
  createDependencyRecorder,
  DEFAULT_ORGANISATION,
  type Dependency,
  type DependencyChange,
  type DependencyRecorder,
  type DependentsOfKind,
  dependencyKey,
  inSlices,
  LayeredMap,
  type ObjectState,
  type ObjectStates,
  outdatedDependents,
  type ParsedObject,
  type Sliced,
  type TranslatedObject,
  toEntries,
  toStale,
  updateDependents,
} from './incremental/index.ts';
import { ruleOf } from './rules/index.ts';
import { hasSecrets, stillPermitted, withCurrentReach, withCurrentSidecars } from './rules/shared/index.ts';
import { type Findings, toVerdict } from './to-verdict.ts';
import type { Lookups, ObjectScope, RuleResult, SecretFetch, Verdict, WorldSettings } from './types/index.ts';
import { type Effect, type Failure, type Finding, INTERNAL_ERROR, noWorkspace, verdictKey } from './types/index.ts';

interface Change<T> {
  readonly left: Set<T>;
  readonly came: T[];
}

export interface Changes {
  readonly entries: Change<AnyEntry>;
  readonly verdicts: Change<Verdict>;
}

export type DependentsByKind = ReadonlyMap<KindName, DependentsOfKind>;

interface TranslateOptions {
  /** Keys of objects to translate: new, edited, removed, or affected by others. */
  readonly changed: ReadonlyMap<KindName, Iterable<string>>;
  /** Translations of removed objects. */
  readonly gone: readonly TranslatedObject[];
  readonly dependents: DependentsByKind;
  readonly settings: WorldSettings;
  readonly published: PublishedEntries;
  /**
   * The lookups, completed by what only this half knows: credentials of Integrations, which are translated before their
   * Providers.
   */
  lookupsWith(credentialOf: Lookups['credentialOf']): Lookups;
}

export interface TranslatedObjects {
  readonly states: ObjectStates;
  readonly dependents: DependentsByKind;
  readonly changes: Changes;
  /** How many objects were translated again. */
  readonly translated: number;
  readonly failures: readonly Failure[];
  /** See `Translation`. */
  readonly fetches: readonly SecretFetch[];
}

/** Translates objects that have changed or depend on a lookup that has; keeps the others. */
export function* translateObjects(states: ObjectStates, options: TranslateOptions): Sliced<TranslatedObjects> {
  const { changed, gone, settings, published, lookupsWith } = options;
  const done = new Map<KindName, LayeredMap<ObjectState>>();
  const dependents = new Map<KindName, DependentsOfKind>();
  const changes: Changes = { entries: { left: new Set(), came: [] }, verdicts: { left: new Set(), came: [] } };
  const lookups = lookupsWith((key) => credentialOf(done.get('Integration')?.get(key)));
  const recorder = createDependencyRecorder(lookups);
  const intern = createInterner();
  const failures: Failure[] = [];
  let translatedCount = 0;
  for (const translated of gone) noteChange(changes, translated, undefined);
  for (const [kind, known] of states) {
    const asked = options.dependents.get(kind) ?? new LayeredMap();
    const edits = new Map<string, ObjectState>();
    const dependencyChanges = gone.filter(({ parsed }) => parsed.kind === kind).map(toRemoval);
    yield* inSlices(new Set([...(changed.get(kind) ?? []), ...outdatedDependents(asked, lookups)]), (key) => {
      const state = known.get(key);
      if (state === undefined) return;
      const { translated, reads } = translateOne(state, recorder, { settings, published, intern, failures });
      noteChange(changes, state.translated, translated);
      edits.set(key, { parsed: state.parsed, translated });
      dependencyChanges.push({
        key,
        before: state.translated?.dependencies,
        now: { dependencies: translated.dependencies, reads },
      });
    });
    translatedCount += edits.size;
    done.set(kind, known.with(edits));
    dependents.set(kind, updateDependents(asked, dependencyChanges));
  }
  return { states: done, dependents, changes, translated: translatedCount, failures, fetches: fetchesOf(done) };
}

function fetchesOf(states: ObjectStates): readonly SecretFetch[] {
  const fetches: SecretFetch[] = [];
  states.get('SecretReference')?.forEach(({ translated }) => {
    if (translated?.fetch !== undefined) fetches.push(translated.fetch);
  });
  return fetches;
}

const toRemoval = ({ parsed, dependencies }: TranslatedObject): DependencyChange => ({
  key: parsed.key,
  before: dependencies,
  now: undefined,
});

/** Null for an Integration without a credential and headers, undefined for one that cannot be used. */
function credentialOf(state: ObjectState | undefined): string | null | undefined {
  const resource = state?.parsed.resource;
  if (resource?.kind === 'Integration' && !hasSecrets(resource.spec)) return null;
  return state?.translated?.entries[0]?.id;
}

function noteChange(
  { entries, verdicts }: Changes,
  before: TranslatedObject | undefined,
  after: TranslatedObject | undefined,
): void {
  for (const entry of before?.entries ?? []) if (!after?.entries.includes(entry)) entries.left.add(entry);
  for (const entry of after?.entries ?? []) if (!before?.entries.includes(entry)) entries.came.push(entry);
  const [said, says] = [reportedVerdict(before), reportedVerdict(after)];
  if (said === says) return;
  if (said !== undefined) verdicts.left.add(said);
  if (says !== undefined) verdicts.came.push(says);
}

/** The default Organisation is not an object of the cluster and gets no verdict. */
function reportedVerdict(translated: TranslatedObject | undefined): Verdict | undefined {
  return translated?.parsed.object === DEFAULT_ORGANISATION ? undefined : translated?.verdict;
}

interface OneOptions extends Pick<TranslateOptions, 'settings' | 'published'> {
  /** One text for all equal ones: a hundred thousand keys have a few hundred different dependencies. */
  readonly intern: (text: string) => string;
  /** Failures are added. */
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
  state: ObjectState,
  recorder: DependencyRecorder,
  { settings, published, intern, failures }: OneOptions,
): { readonly translated: TranslatedObject; readonly reads: readonly Dependency[] } {
  const { parsed, translated: before } = state;
  const { key, object } = parsed;
  const { value, reads } = recorder.record((view): EvaluatedObject => {
    try {
      return evaluate(state, { settings, published }, view);
    } catch (error) {
      failures.push({ key: verdictKey(parsed.kind, key), error });
      return evaluateAfterFailure(state, { settings, published }, view);
    }
  });
  const { workspace, findings, entries, serves, uses, fetch } = value;
  const name = parsed.row?.key ?? verdictKey(parsed.kind, key);
  const verdict = toVerdict({ object, key: name, workspace, findings, serves, uses });
  const known = before?.verdict;
  const translated = {
    parsed,
    dependencies: intern(dependencyKey(reads)),
    workspace,
    entries,
    verdict: known !== undefined && isSameVerdict(known, verdict) ? known : verdict,
    ...(fetch === undefined
      ? {}
      : { fetch: before?.fetch !== undefined && isSameFetch(before.fetch, fetch) ? before.fetch : fetch }),
  };
  return { translated, reads };
}

type EvaluatedObject = Pick<TranslatedObject, 'workspace' | 'entries' | 'fetch'> &
  Pick<Findings, 'findings' | 'serves' | 'uses'>;
type EvaluateOptions = Pick<TranslateOptions, 'settings' | 'published'>;

function evaluate(state: ObjectState, { settings, published }: EvaluateOptions, view: Lookups): EvaluatedObject {
  const { parsed } = state;
  const { refusals } = parsed;
  const scope = scopeOf(parsed, settings, view);
  const last = withoutPastRights(lastEntries(state, scope, published), scope, view);
  const kept = parsed.resource === undefined ? permitted(last, parsed, { scope, view }) : last;
  const made = applyRule(parsed, scope, view);
  // Findings of the last good content are about fields that the object may not have any more; only withdrawals still matter.
  const findings = refusals.length === 0 ? made.findings : [...refusals, ...made.findings.filter(isWithdrawal)];
  const { uses, fetch } = made;
  return { workspace: scope?.workspace, findings, uses, fetch, ...chooseEntries(parsed, made, kept) };
}

function withoutPastRights(
  entries: readonly AnyEntry[],
  scope: ObjectScope | undefined,
  view: Lookups,
): readonly AnyEntry[] {
  if (scope === undefined) return entries;
  const now = entries.map((entry) => withCurrentSidecars(withCurrentReach(entry, scope, view), view));
  return now.every((entry, i) => entry === entries[i]) ? entries : now;
}

/** After a failure: the last entries are served as far as they are still permitted. */
function evaluateAfterFailure(
  state: ObjectState,
  { settings, published }: EvaluateOptions,
  view: Lookups,
): EvaluatedObject {
  const findings = [INTERNAL_ERROR];
  try {
    const scope = scopeOf(state.parsed, settings, view);
    const before = withoutPastRights(lastEntries(state, scope, published), scope, view);
    const last = permitted(before, state.parsed, { scope, view });
    const serves = last.length > 0 ? 'last good' : 'nothing';
    return { workspace: scope?.workspace, findings, entries: toStale(last), serves };
  } catch {
    return { workspace: undefined, findings, entries: [], serves: 'nothing' };
  }
}

/** The last entries, if the object may keep them. */
function permitted(
  last: readonly AnyEntry[],
  { kind, object }: ParsedObject,
  { scope, view }: { readonly scope: ObjectScope | undefined; readonly view: Lookups },
): readonly AnyEntry[] {
  return scope === undefined ? last : stillPermitted(last, { kind, object, ...scope }, view);
}

/** Entries that were served for the object before, if it still has the same owner. */
function lastEntries(
  { parsed, translated }: ObjectState,
  scope: ObjectScope | undefined,
  published: PublishedEntries,
): readonly AnyEntry[] {
  if (scope === undefined) return [];
  if (translated !== undefined) return translated.workspace === scope.workspace ? translated.entries : [];
  const { kind, object } = parsed;
  const { metadata } = object;
  return published.of(kind, kind === 'Workspace' ? metadata.name : scope.workspace, metadata);
}

/** Undefined in a namespace without an owner. */
function scopeOf({ kind, object }: ParsedObject, settings: WorldSettings, view: Lookups): ObjectScope | undefined {
  if (KINDS[kind].scope === 'Cluster') return { namespace: '', workspace: null, settings };
  const namespace = object.metadata.namespace ?? '';
  const workspace = view.ownerOf(namespace);
  return workspace === undefined ? undefined : { namespace, workspace, settings };
}

function applyRule(
  { kind, object, resource }: ParsedObject,
  scope: ObjectScope | undefined,
  view: Lookups,
): RuleResult {
  const rule = ruleOf(kind);
  if (rule === undefined || resource === undefined) return { entries: [], findings: [] };
  if (scope !== undefined) return rule(resource, scope, view);
  return { entries: [], findings: [noWorkspace(object.metadata.namespace)] };
}

const isWithdrawal = ({ effect }: Finding): boolean => effect === 'withdraw';

/** New entries, the last good ones, or none. */
function chooseEntries(
  { kind, resource, refusals }: ParsedObject,
  { entries, findings }: RuleResult,
  last: readonly AnyEntry[],
): { readonly entries: readonly AnyEntry[]; readonly serves: Verdict['serves'] } {
  const has = (effect: Effect): boolean => findings.some((finding) => finding.effect === effect);
  const idle = ruleOf(kind) === undefined;
  if (idle ? refusals.length > 0 : has('withdraw')) return { entries: [], serves: 'nothing' };
  if (resource === undefined || has('keep'))
    return { entries: toStale(last), serves: last.length > 0 ? 'last good' : 'nothing' };
  const stale = refusals.length > 0;
  const generation = resource?.metadata.generation ?? 0;
  return { entries: toEntries(entries, { generation, stale, before: last }), serves: stale ? 'last good' : 'current' };
}

const isSameFetch = (a: SecretFetch, b: SecretFetch): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Verdicts are small, and only those of translated objects are compared. */
const isSameVerdict = (a: Verdict, b: Verdict): boolean => JSON.stringify(a) === JSON.stringify(b);
