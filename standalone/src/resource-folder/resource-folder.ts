/** Translates a folder of YAML resources into a Snapshot and a list of problems. */

import type { TargetCaps } from '@gatehouse/crds/config';
import type { Snapshot } from '@gatehouse/crds/snapshot';
import type { Variables } from '@gatehouse/gateway';
import type { SecretFetcher } from '@gatehouse/operator/secret-managers';
import { type Translation, translate, type World } from '@gatehouse/operator/translate';
import { type FoundProblem, foldConsequences } from './consequences.ts';
import type { FileSet } from './file-set.ts';
import { createFolderReader, type FolderScan } from './folder-reader.ts';
import { readObjects } from './objects.ts';
import { type FileProblem, formatProblem } from './problem.ts';
import type { LocatedObject } from './remarks.ts';
import { createWorldSource, ORGANISATION_NAMESPACE } from './world-source.ts';

/** The content of the folder at one moment. */
export interface FolderState {
  /** The same object as long as its content does not change. */
  readonly snapshot: Snapshot;
  /** Those that have to be fixed, ordered by file and position; what follows from them is with them. */
  readonly problems: readonly FileProblem[];
  /** Settings that are valid, but most likely not what was meant; in the same order. */
  readonly remarks: readonly FileProblem[];
  readonly files: number;
  readonly objects: number;
  /** Kinds that are not of Gatehouse and were ignored, each once. */
  readonly ignored: readonly string[];
}

export interface Refreshed {
  /** The same object if nothing has changed. */
  readonly state: FolderState;
  /** Every folder that was read. */
  readonly folders: readonly string[];
  /** When to scan again, in ms, because of a change that has not settled yet. */
  readonly againInMs: number | undefined;
}

export interface ResourceFolder {
  /** Scans the files, reads those that have changed, and translates. `written` files are whole and are read at once. */
  refresh(written?: ReadonlySet<string>): Promise<Refreshed>;
  /** As of the last refresh; undefined before the first one. */
  view(): FolderView | undefined;
}

/** What was read, for who changes it. */
export interface FolderView {
  readonly world: World;
  readonly translation: Translation;
  readonly files: FileSet;
  /** Every object of a file, by `Kind/namespace/name` or `Kind/name`. */
  readonly located: ReadonlyMap<string, LocatedObject>;
}

interface ResourceOptions {
  /** The environment, for Secrets that are not in the folder. */
  readonly variables: Variables;
  readonly caps: TargetCaps;
}

interface ResourceFolderOptions extends ResourceOptions {
  /** Ports of this machine where a mock provider answers. */
  readonly mockPorts?: readonly number[] | undefined;
  /** Fetches the secrets of SecretReferences; absent: they are not fetched. */
  readonly managers?: Pick<SecretFetcher, 'get' | 'subscribe' | 'update'> | undefined;
  /** Texts that are no secrets stand in for Secrets that are missing: nothing will be called with them. */
  readonly standIns?: boolean | undefined;
  /** Time of a monotonic clock in ms. */
  now(): number;
}

/** `roots` are folders or single files. Nothing is read before the first refresh. */
export function createResourceFolder(roots: readonly string[], options: ResourceFolderOptions): ResourceFolder {
  const reader = createFolderReader(roots);
  const { managers } = options;
  const source = createWorldSource({ ...options, managedSecrets: managers });
  let fetched = 0;
  managers?.subscribe(() => {
    fetched += 1;
  });
  let translation: Translation | undefined;
  let view: FolderView | undefined;
  let seen:
    | { readonly files: FileSet; readonly trouble: string; readonly fetched: number; readonly state: FolderState }
    | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const read = ({ files, problems }: FolderScan): FolderState => {
    const {
      world,
      problems: found,
      remarks,
      located,
      locate,
      keys,
    } = source.gather(files, { isComplete: problems.length === 0 });
    translation = translate(world, translation);
    managers?.update(translation.fetches);
    view = { world, translation, files, located };
    const { snapshot, verdicts } = translation;
    const contents = [...files.values()].map(({ content }) => content);
    return {
      snapshot,
      problems: foldConsequences([...problems.map(asCause), ...found, ...locate(verdicts)], keys()),
      remarks,
      files: files.size,
      objects: contents.reduce((sum, { objects }) => sum + objects.length, 0),
      ignored: [...new Set(contents.flatMap(({ ignored }) => ignored))].sort(),
    };
  };
  const refresh = async (written?: ReadonlySet<string>): Promise<Refreshed> => {
    const scan = await reader.scan(options.now(), written);
    const trouble = scan.problems.map(formatProblem).join('\n');
    if (seen?.files !== scan.files || seen.trouble !== trouble || seen.fetched !== fetched) {
      const since = fetched;
      seen = { files: scan.files, trouble, fetched: since, state: read(scan) };
    }
    return { state: seen.state, folders: scan.folders, againInMs: scan.againInMs };
  };
  return {
    refresh: (written) => {
      const next = last.then(() => refresh(written));
      last = next.catch(() => undefined); // whoever asked gets the error
      return next;
    },
    view: () => view,
  };
}

const asCause = (problem: FileProblem): FoundProblem => ({ problem, withholds: [], refersTo: [] });

/** The state of resources that are in no file; problems are those of `name`. */
export function stateOfResources(name: string, resources: readonly object[], options: ResourceOptions): FolderState {
  const documents = resources.map((value) => ({ value, locate: () => ({ line: 1, column: 1 }) }));
  const content = readObjects(documents, { defaultNamespace: ORGANISATION_NAMESPACE });
  const { world, problems, remarks, locate, keys } = createWorldSource(options).gather(
    new Map([[name, { signature: '', content, isBroken: false, problems: [] }]]),
    { isComplete: true },
  );
  const { snapshot, verdicts } = translate(world);
  return {
    snapshot,
    problems: foldConsequences([...problems, ...locate(verdicts)], keys()),
    remarks,
    files: 0,
    objects: content.objects.length,
    ignored: [],
  };
}
