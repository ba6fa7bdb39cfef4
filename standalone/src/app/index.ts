export { type AdminKey, canStoreAdminKey, loadAdminKey, storeAdminKey } from './admin-key.ts';
export { type ResourceSource, type StandaloneProcess, startStandalone } from './standalone-process.ts';
