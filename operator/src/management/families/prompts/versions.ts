/** Versions of prompts and partials: the first may be in the object itself, the others are objects of their own. */
import { err, type Result } from '@gatehouse/crds';
import type { KindName } from '@gatehouse/crds/kinds';
import { parseVersionChoice, type VersionChoice } from '@gatehouse/crds/prompts';
import { RestError } from '../../http/rest-error.ts';
import type { Place, StoredMeta, WriteProblem, Written } from '../../store/index.ts';
import type { RestCall, Services } from '../family.ts';
import { windowOf } from '../pages.ts';
import { written } from '../write.ts';

export interface Version<C> {
  /** UUID: that of its object; a version in the object of the prompt has the UUID of the prompt. */
  readonly id: string;
  readonly number: number;
  readonly description: string | undefined;
  readonly content: C;
  readonly createdAt: string;
}

/** The version in an object itself. */
export const ownVersion = <C>(meta: StoredMeta, description: string | undefined, content: C): Version<C> => ({
  ...{ id: meta.uid, number: 1, createdAt: meta.createdAt },
  ...{ description, content },
});

/** All of them, the newest first. */
export function newestFirst<C>(own: Version<C> | undefined, others: readonly Version<C>[]): readonly Version<C>[] {
  const all = own === undefined ? others : [...others.filter(({ number }) => number !== own.number), own];
  return [...all].sort((a, b) => b.number - a.number);
}

const noVersion = (what: string, version: string): RestError =>
  new RestError('ABSENT', { message: `The ${what} has no version ${version}`, param: 'version' });

/** How `?version=` is meant. Throws RestError INVALID. */
export function choiceOf(text: string | undefined): VersionChoice {
  const choice = parseVersionChoice(text);
  if (choice !== undefined) return choice;
  const message = 'query version: expected a number, latest, default or a label';
  throw new RestError('INVALID', { message, param: 'version' });
}

/** The version of a number, or the newest one. Throws RestError ABSENT. */
export function numbered<C>(versions: readonly Version<C>[], wanted: number | 'latest', what: string): Version<C> {
  const found = wanted === 'latest' ? versions[0] : versions.find(({ number }) => number === wanted);
  if (found === undefined) throw noVersion(what, String(wanted));
  return found;
}

/** By number or UUID. Throws RestError ABSENT. */
export function versionNamed<C>(versions: readonly Version<C>[], named: string | number, what: string): Version<C> {
  const found = versions.find(({ id, number }) => id === named || String(number) === String(named));
  if (found === undefined) throw noVersion(what, String(named));
  return found;
}

/** The versions of a page. */
export function pageOfVersions<C>(
  versions: readonly Version<C>[],
  query: Parameters<typeof windowOf>[0],
): readonly Version<C>[] {
  const { limit, offset } = windowOf(query);
  return versions.slice(offset, offset + limit);
}

const MAX_TRIES = 256;

/** Makes a version with the next number that is free: names of versions are their numbers, so that none is given twice. */
export async function addVersion<T>(
  versions: readonly Version<unknown>[],
  create: (number: number) => Written<T>,
): Promise<Result<T, WriteProblem>> {
  const next = (versions[0]?.number ?? 0) + 1;
  for (let i = 0; i < MAX_TRIES; i += 1) {
    const made = await create(next + i);
    if (made.ok || made.error.kind !== 'exists') return made;
  }
  return err({ kind: 'contended' });
}

/** Throws RestError CONFLICT where versions of an object that is gone would become those of a new one. */
export function refuseLeftovers(names: readonly string[], what: string): void {
  const [first] = names;
  if (first === undefined) return;
  const message = `The version ${first} of an earlier ${what} is still there; delete it, or choose another slug`;
  throw new RestError('CONFLICT', { message, param: 'slug' });
}

interface Deletion<K extends KindName> {
  readonly place: Place;
  readonly versions: readonly Place<K>[];
  readonly what: string;
}

/** Deletes an object, then its versions: without it they are served to nobody. Nothing goes where one of them may not. */
export async function deleteWithVersions<K extends KindName>(
  { place, versions, what }: Deletion<K>,
  { force }: Pick<RestCall, 'force'>,
  { store }: Pick<Services, 'store'>,
): Promise<void> {
  written(await store.delete(place, { force, dryRun: true }), what);
  for (const version of versions) {
    const tried = await store.delete(version, { force, dryRun: true, expects: () => true });
    const isOfItself = !tried.ok && tried.error.kind === 'in-use'; // a version that is published or has a label
    if (!isOfItself) written(tried, `version ${version.name}`);
  }
  written(await store.delete(place, { force }), what);
  for (const version of versions) {
    const gone = await store.delete(version, { force });
    if (!gone.ok && gone.error.kind !== 'absent') written(gone, `version ${version.name}`);
  }
}
