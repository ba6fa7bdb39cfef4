export { askJob, type JobRequest } from './ask-job.ts';
export { askDetached, type DetachedRequest } from './detached.ts';
export { type OpenedForm, openForm } from './form.ts';
export { parseJobId, repeatedlyDecoded } from './job-id.ts';
export { type Entry, type JobPage, listJobs } from './job-list.ts';
export {
  bucketOf,
  checkBucket,
  checkKey,
  folderOf,
  type ObjectPlace,
  objectId,
  objectUri,
  parseObject,
  parsePrefix,
  type StoreRules,
} from './object-place.ts';
export { idOfUri, type OutputLine, outputRows } from './output-rows.ts';
export { PART_BYTES, type Part, partsOf } from './parts.ts';
export { objectPath, outputMissing, refuseSetting, required, textOf } from './requests.ts';
