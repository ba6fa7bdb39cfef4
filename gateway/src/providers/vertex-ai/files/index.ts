export { modelOfJob, type NamedModel, namedModel } from './named-model.ts';
export { deleteFile, getFile, getFileContent } from './read.ts';
export { fromInstance } from './rows.ts';
export { contentRequest, GCS } from './store.ts';
export { createFile } from './upload.ts';
