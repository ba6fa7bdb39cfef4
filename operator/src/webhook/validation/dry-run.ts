/** What a write would make of the world: the same translation that will run when it has happened, one object further. */
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
} from '../../translate/index.ts';

/** The world of now and what was made of it. */
export interface TranslatedWorld {
  readonly world: World;
  readonly translation: Translation;
}

export interface Candidate {
  readonly kind: KindName;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Undefined: it goes. */
  readonly object: WorldObject | undefined;
}

export interface Impact {
  /** About the object as it would be; undefined when it goes. */
  readonly verdict: Verdict | undefined;
  /** The largest entry it would be served as, in bytes. */
  readonly entryBytes: number;
  /** Those whose references would break: `Kind/namespace/name`, sorted. */
  readonly broken: readonly string[];
}

/** What would be if a write happened now. */
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

function newlyBroken(before: readonly Verdict[], news: readonly Verdict[]): readonly string[] {
  const suspects = new Set(news.filter((verdict) => resolution(verdict) === 'False').map(({ key }) => key));
  if (suspects.size === 0) return [];
  return before.filter((verdict) => suspects.has(verdict.key) && resolution(verdict) === 'True').map(({ key }) => key);
}

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
