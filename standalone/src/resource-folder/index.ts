/** A folder of YAML resources, which replaces a cluster as the source of configuration. */

export { type FieldPath, type ParsedText, parseText, type SourceDocument } from './documents.ts';
export { codeOf, signatureOf, writtenAtMs } from './listing.ts';
export { countProblems, type FileProblem, formatProblem, problemLines } from './problem.ts';
export type { LocatedObject } from './remarks.ts';
export {
  createResourceFolder,
  type FolderState,
  type FolderView,
  type Refreshed,
  type ResourceFolder,
  stateOfResources,
} from './resource-folder.ts';
export { createWatcher, type Watcher } from './watcher.ts';
export { ORGANISATION_NAMESPACE } from './world-source.ts';
