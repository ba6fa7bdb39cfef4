/** The management API as a process of its own. */
export { runManagement } from './management.ts';
export { openRequestLog } from './request-log.ts';
