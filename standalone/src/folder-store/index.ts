/** The folder of YAML resources as a store of the management API. docs/behaviour/management.md */
export { createFolderStore, type FolderStoreOptions } from './folder-store.ts';
export { uuidOf } from './stored-objects.ts';
