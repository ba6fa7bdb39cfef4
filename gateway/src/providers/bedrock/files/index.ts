export { getFile, getFileContent } from './read.ts';
export { fromRecord, invocationType } from './rows.ts';
export { codeOf, objectUrl, openS3, reachesS3, S3 } from './store.ts';
export { createFile } from './upload.ts';
