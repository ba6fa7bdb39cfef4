export { type AdminKey, keepAdminKey, loadAdminKey } from './admin-key.ts';
export { type StandaloneProcess, startStandalone } from './standalone-process.ts';
