/** The effect of a write: a translation of the world with this one object changed. */
import type { KindName } from '@gatehouse/crds/kinds';
import { canonicalJson } from '@gatehouse/crds/snapshot';
import {
  LayeredMap,
  objectKey,
  type Translation,
  translate,
  type Verdict,
  type World,
  type WorldObject,
  type WorldObjects,
} from '../translate/index.ts';

/** The current world and its translation. */
export interface TranslatedWorld {
  readonly world: World;
  readonly translation: Translation;
}

export interface Candidate {
  readonly kind: KindName;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Undefined: it is deleted. */
  readonly object: WorldObject | undefined;
}

export interface Impact {
  /** About the new object; undefined when it is deleted. */
  readonly verdict: Verdict | undefined;
  /** The size of its largest entry, in bytes. */
  readonly entryBytes: number;
  /** Objects whose references would break: `Kind/namespace/name`, sorted. */
  readonly broken: readonly string[];
}

/** Translates the world as it would be after the write. */
export function dryRun(now: TranslatedWorld, candidate: Candidate): Impact {
  const { kind, namespace, name } = candidate;
  const key = objectKey(namespace, name);
  const after = translateWith(now, candidate);
  const entries = after.memo.states.get(kind)?.get(key)?.translated?.entries ?? [];
  return {
    verdict: after.verdicts.find((verdict) => verdict.key === `${kind}/${key}`),
    entryBytes: Math.max(0, ...entries.map((entry) => Buffer.byteLength(canonicalJson(entry)))),
    broken: newlyBroken(now.translation.verdicts, after.changes.verdicts),
  };
}

/** Also an object that had another reference unresolved before: what it names besides is in use all the same. */
function newlyBroken(before: readonly Verdict[], news: readonly Verdict[]): readonly string[] {
  const suspects = new Map(
    news.filter((verdict) => resolution(verdict) === 'False').map((verdict) => [verdict.key, verdict]),
  );
  if (suspects.size === 0) return [];
  return before
    .filter((verdict) => {
      const after = suspects.get(verdict.key);
      return after !== undefined && resolution(verdict) !== 'Unknown' && breaksMore(verdict, after);
    })
    .map(({ key }) => key);
}

function breaksMore(before: Verdict, after: Verdict): boolean {
  const known = new Set(unresolved(before));
  return unresolved(after).some((issue) => !known.has(issue));
}

const unresolved = ({ issues }: Verdict): readonly string[] =>
  issues
    .filter(({ condition }) => condition === 'ResolvedRefs')
    .map(({ path, message }) => JSON.stringify([path, message]));

const resolution = ({ conditions }: Verdict): string => conditions.ResolvedRefs.status;

function translateWith({ world, translation }: TranslatedWorld, candidate: Candidate): Translation {
  const { kind, namespace, name, object } = candidate;
  const objects = world.resources.get(kind) ?? new LayeredMap<WorldObject>();
  const changed = withChange(objects, objectKey(namespace, name), object);
  return translate({ ...world, resources: new Map(world.resources).set(kind, changed) }, translation);
}

function withChange(objects: WorldObjects, key: string, object: WorldObject | undefined): WorldObjects {
  if (objects instanceof LayeredMap) return objects.with(new Map([[key, object]]));
  const all = new Map<string, WorldObject>();
  objects.forEach((present, at) => {
    if (at !== key) all.set(at, present);
  });
  return object === undefined ? all : all.set(key, object);
}
