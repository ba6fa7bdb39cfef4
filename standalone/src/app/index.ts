export { type AdminKey, loadAdminKey, storeAdminKey } from './admin-key.ts';
export { type ResourceSource, type StandaloneProcess, startStandalone } from './standalone-process.ts';
