export { hasCode, syncFolder } from './folder-sync.ts';
export { createObjectBucket } from './object-bucket.ts';
export { createObjectFolder } from './object-folder.ts';
export { checkObjectKey, type ObjectStore, StoreFailure } from './object-store.ts';
export { createS3Calls, type S3Calls, type S3Ports, type S3Settings } from './s3-calls.ts';
