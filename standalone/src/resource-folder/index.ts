/** A folder of YAML resources in place of a cluster. */
export { type FileProblem, formatProblem } from './problem.ts';
export { createResourceFolder, type FolderState, type Refreshed, type ResourceFolder } from './resource-folder.ts';
export { createWatcher, type Watcher } from './watcher.ts';
