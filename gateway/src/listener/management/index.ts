/** Requests of the management API, which another process serves: docs/behaviour/management.md. */
export type { ManagementAddress } from './address.ts';
export { addManagement } from './relay.ts';
