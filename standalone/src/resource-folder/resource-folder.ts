/** A folder of YAML resources as a Snapshot, with everything that is wrong in it. */

import type { TargetCaps } from '@gatehouse/crds/config';
import type { Snapshot } from '@gatehouse/crds/snapshot';
import type { Variables } from '@gatehouse/gateway';
import { type Translation, translate } from '@gatehouse/operator/translate';
import type { FileSet } from './file-set.ts';
import { createFolderReader, type FolderScan } from './folder-reader.ts';
import { byPosition, type FileProblem, formatProblem } from './problem.ts';
import { createWorldSource } from './world-source.ts';

/** The content of the folder at one moment. */
export interface FolderState {
  /** The same object as long as its content is. */
  readonly snapshot: Snapshot;
  /** By file and place. */
  readonly problems: readonly FileProblem[];
  readonly files: number;
  readonly objects: number;
  /** Kinds of others that were passed over, each once. */
  readonly ignored: readonly string[];
}

export interface Refreshed {
  /** The same object if nothing has changed. */
  readonly state: FolderState;
  /** Every folder that was looked into. */
  readonly folders: readonly string[];
  /** When to look again because a change has been seen and not yet taken, in ms. */
  readonly againInMs: number | undefined;
}

export interface ResourceFolder {
  /** Looks at the files, reads those that have changed, and translates. Calls must not overlap. */
  refresh(): Promise<Refreshed>;
}

interface ResourceFolderOptions {
  /** The environment, for Secrets that the folder does not hold. */
  readonly variables: Variables;
  readonly caps: TargetCaps;
  /** Of a clock that never goes back, in ms. */
  now(): number;
}

/** `roots` are folders or single files. Nothing is read before the first refresh. */
export function createResourceFolder(roots: readonly string[], options: ResourceFolderOptions): ResourceFolder {
  const reader = createFolderReader(roots);
  const source = createWorldSource(options);
  let translation: Translation | undefined;
  let seen: { readonly files: FileSet; readonly trouble: string; readonly state: FolderState } | undefined;

  const read = ({ files, problems }: FolderScan): FolderState => {
    const { world, problems: found, locate } = source.gather(files);
    translation = translate(world, translation);
    const { snapshot, verdicts } = translation;
    const contents = [...files.values()].map(({ content }) => content);
    return {
      snapshot,
      problems: [...problems, ...found, ...locate(verdicts)].sort(byPosition),
      files: files.size,
      objects: contents.reduce((sum, { objects }) => sum + objects.length, 0),
      ignored: [...new Set(contents.flatMap(({ ignored }) => ignored))].sort(),
    };
  };
  return {
    refresh: async () => {
      const scan = await reader.scan(options.now());
      const trouble = scan.problems.map(formatProblem).join('\n');
      if (seen?.files !== scan.files || seen.trouble !== trouble)
        seen = { files: scan.files, trouble, state: read(scan) };
      return { state: seen.state, folders: scan.folders, againInMs: scan.againInMs };
    },
  };
}
