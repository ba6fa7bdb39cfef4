/** What stands behind the Services that resources of workspaces name. */
export { createServiceBook, type ServiceBook, type ServiceBookOptions } from './book.ts';
