/** What makes an edit cheap: memoised objects, recorded dependencies, and maps and lists that share their content. */
export { createDependencyRecorder, type Dependency, type DependencyRecorder } from './dependency-recorder.ts';
export {
  type DependencyChange,
  type DependentsOfKind,
  dependencyKey,
  outdatedDependents,
  updateDependents,
} from './dependents.ts';
export { toEntries, toStale } from './entries.ts';
export { LayeredMap } from './layered-map.ts';
export {
  DEFAULT_ORGANISATION,
  type ObjectState,
  type ObjectStates,
  type ParsedObject,
  resourceOf,
  resourcesOf,
  type TranslatedObject,
} from './object-states.ts';
export { accountOf, credentialName, entryName, originKey, originsOf, policyName, sourcesOf } from './origins.ts';
export {
  indexPublished,
  mergePublished,
  NO_ENTRIES,
  NOTHING_PUBLISHED,
  type PublishedEntries,
} from './published-before-restart.ts';
export { sharing } from './sharing.ts';
export { inSlices, runToEnd, type Sliced } from './slices.ts';
export { updateSorted } from './sorted-list.ts';
