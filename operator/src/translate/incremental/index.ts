/** What makes an edit cost only what it touches: memoised objects, recorded dependencies, maps and lists that share their content. */
export { createRecorder, type Read, type Recorder } from './dependency-recorder.ts';
export { misinformed, questionsOf, type ReadersOfKind, type Rereading, updateReaders } from './dependents.ts';
export { toEntries, toStale } from './entries.ts';
export {
  IMPLIED_ORGANISATION,
  type Item,
  type Items,
  type Outcome,
  resourceOf,
  resourcesOf,
  type Source,
} from './items.ts';
export { createLastGood, firstOf, type LastGood, NONE, NOTHING_PUBLISHED } from './last-good.ts';
export { LayeredMap } from './layered-map.ts';
export { accountOf, credentialName, entryName, FOREIGN, originKey, originsOf } from './origins.ts';
export { finish, inSlices, type Steps } from './slices.ts';
export { updateSorted } from './sorted-list.ts';
