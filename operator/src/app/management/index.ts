/** The management API as a process of its own. */
export { runManagement } from './management.ts';
