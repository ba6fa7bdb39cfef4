/** Tells causes from consequences: a reference to an object that is not served because of a problem of its own. */
import { createSuggestions, didYouMean, type Suggest } from '@gatehouse/crds';
import { byPosition, type FileProblem } from './problem.ts';

/** A problem and what it has to do with other objects. Keys are `Kind/namespace/name` or `Kind/name`. */
export interface FoundProblem {
  readonly problem: FileProblem;
  /** Objects that are not served because of the problem. */
  readonly withholds: readonly string[];
  /** Objects any of which would solve the problem. */
  readonly refersTo: readonly string[];
}

type Causes = ReadonlyMap<string, readonly FoundProblem[]>;

/**
 * The problems that have to be fixed, ordered by position, each with its consequences. A reference to an object that is in no file
 * gets the nearest name among `known`, the keys of all objects, but for those that are not served themselves.
 */
export function foldConsequences(found: readonly FoundProblem[], known: Iterable<string>): readonly FileProblem[] {
  if (found.length === 0) return [];
  const causes = causesOf(found);
  const suggest = createSuggestions();
  const objects = indexObjects(known, causes);
  const roots = new Map<FoundProblem, FileProblem[]>();
  for (const one of found) {
    const root = rootOf(one, causes);
    const below = roots.get(root) ?? [];
    roots.set(root, below);
    if (root !== one) below.push(one.problem);
  }
  return [...roots]
    .map(([root, consequences]) => ({
      ...root.problem,
      message: `${root.problem.message}${suggestion(root, objects, suggest)}`,
      ...(consequences.length === 0 ? {} : { consequences: consequences.sort(byPosition) }),
    }))
    .sort(byPosition);
}

function causesOf(found: readonly FoundProblem[]): Causes {
  const causes = new Map<string, FoundProblem[]>();
  for (const one of found) {
    for (const key of one.withholds) causes.set(key, [...(causes.get(key) ?? []), one]);
  }
  return causes;
}

/** The cause at the end of the chain; the problem itself where it has none, or where the chain is a ring. */
function rootOf(start: FoundProblem, causes: Causes): FoundProblem {
  const seen = new Set<FoundProblem>();
  let current = start;
  while (!seen.has(current)) {
    seen.add(current);
    const cause = causeOf(current, causes);
    if (cause === undefined) return current;
    current = cause;
  }
  return start;
}

/** Of several problems of an object, one that is a cause itself. */
function causeOf(problem: FoundProblem, causes: Causes): FoundProblem | undefined {
  const candidates = problem.refersTo.flatMap((key) => causes.get(key) ?? []).filter((one) => one !== problem);
  return candidates.find(({ refersTo }) => refersTo.length === 0) ?? candidates[0];
}

interface Objects {
  readonly keys: ReadonlySet<string>;
  /** Names of those that are served, by the part of their keys before the name. */
  readonly served: ReadonlyMap<string, ReadonlySet<string>>;
}

function indexObjects(known: Iterable<string>, causes: Causes): Objects {
  const keys = new Set(known);
  const served = new Map<string, Set<string>>();
  for (const key of keys) {
    if (causes.has(key)) continue;
    const names = served.get(placeOf(key)) ?? new Set<string>();
    served.set(placeOf(key), names.add(nameOf(key)));
  }
  return { keys, served };
}

/** Nothing where the object is there, and lacks something else. The name is written as the message writes the wrong one: `@main`. */
function suggestion({ problem, refersTo }: FoundProblem, objects: Objects, suggest: Suggest): string {
  const [first] = refersTo;
  if (first === undefined || refersTo.some((key) => objects.keys.has(key))) return '';
  const near = suggest(nameOf(first), namesAt(refersTo, objects));
  return didYouMean(near, problem.message.includes(`@${nameOf(first)} `) ? '@' : '');
}

function* namesAt(keys: readonly string[], { served }: Objects): Generator<string> {
  for (const place of new Set(keys.map(placeOf))) yield* served.get(place) ?? [];
}

const placeOf = (key: string): string => key.slice(0, key.lastIndexOf('/'));
const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
