/** A folder of YAML resources, which replaces a cluster as the source of configuration. */
export { countProblems, type FileProblem, formatProblem, problemLines } from './problem.ts';
export {
  createResourceFolder,
  type FolderState,
  type Refreshed,
  type ResourceFolder,
  stateOfResources,
} from './resource-folder.ts';
export { createWatcher, type Watcher } from './watcher.ts';
