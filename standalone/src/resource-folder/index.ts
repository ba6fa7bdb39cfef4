/** A folder of YAML resources, which replaces a cluster as the source of configuration. */

export { type FieldPath, type ParsedText, parseText, type SourceDocument } from './documents.ts';
export { codeOf, signatureOf, writtenAtMs } from './listing.ts';
export { byPosition, countProblems, type FileProblem, formatProblem, problemLines } from './problem.ts';
export type { LocatedObject } from './remarks.ts';
export { type ResourceFiles, readResourceFiles } from './resource-files.ts';
export {
  createResourceFolder,
  type FolderState,
  type FolderView,
  type Refreshed,
  type ResourceFolder,
  stateOfResources,
} from './resource-folder.ts';
export { variableOf } from './secrets.ts';
export { createWatcher, type Watcher } from './watcher.ts';
export { ORGANISATION_NAMESPACE } from './world-source.ts';
