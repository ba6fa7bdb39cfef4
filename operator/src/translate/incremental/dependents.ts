/**
 * Which objects depend on which lookups. Objects with the same dependencies are one group, which is checked once: a hundred
 * thousand keys of a hundred workspaces are a few hundred groups.
 */
import type { Lookups } from '../types/index.ts';
import { areUnchanged, type Dependency } from './dependency-recorder.ts';
import { LayeredMap } from './layered-map.ts';

interface DependentGroup {
  readonly reads: readonly Dependency[];
  /** Keys of the objects. */
  readonly keys: LayeredMap<true>;
}

/** The objects of one Kind by their dependencies. */
export type DependentsOfKind = LayeredMap<DependentGroup>;

/** The lookups and their arguments as a text, without the results. */
export function dependencyKey(reads: readonly Dependency[]): string {
  return JSON.stringify(reads.map(({ lookup, args }) => [lookup, ...args]));
}

/** Keys of the objects for which some lookup returns another result now. */
export function outdatedDependents(dependents: DependentsOfKind, lookups: Lookups): readonly string[] {
  const keys: string[] = [];
  dependents.forEach((group) => {
    if (areUnchanged(lookups, group.reads)) return;
    group.keys.forEach((_, key) => {
      keys.push(key);
    });
  });
  return keys;
}

/** The dependencies of one object before and now; undefined while it does not exist. */
export interface DependencyChange {
  readonly key: string;
  readonly before: string | undefined;
  readonly now: { readonly dependencies: string; readonly reads: readonly Dependency[] } | undefined;
}

/** The groups after some objects were translated again, were added or were removed. */
export function updateDependents(
  dependents: DependentsOfKind,
  dependencyChanges: readonly DependencyChange[],
): DependentsOfKind {
  const moves = new Map<string, Map<string, true | undefined>>();
  const reads = new Map<string, readonly Dependency[]>();
  const move = (dependencies: string, key: string, stays: true | undefined): void => {
    const keys = moves.get(dependencies) ?? new Map<string, true | undefined>();
    moves.set(dependencies, keys.set(key, stays));
  };
  for (const { key, before, now } of dependencyChanges) {
    if (before !== undefined) move(before, key, undefined);
    if (now === undefined) continue;
    move(now.dependencies, key, true);
    reads.set(now.dependencies, now.reads);
  }
  const changes = new Map<string, DependentGroup | undefined>();
  for (const [dependencies, moved] of moves) {
    const group = dependents.get(dependencies);
    const keys = (group?.keys ?? new LayeredMap<true>()).with(moved);
    const known = reads.get(dependencies) ?? group?.reads;
    changes.set(dependencies, keys.size === 0 || known === undefined ? undefined : { reads: known, keys });
  }
  return dependents.with(changes);
}
