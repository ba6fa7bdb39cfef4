/** Versions of the content of objects. docs/behaviour/management.md#versions */
export { createRevisions, type Revision, type Revisions, type RevisionsOptions } from './revisions.ts';
export { versionIdOf } from './version-id.ts';
