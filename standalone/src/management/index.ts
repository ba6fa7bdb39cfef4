/** The management API of a standalone process, over its folder. docs/behaviour/management.md */
export { type Management, type ManagementOptions, startManagement } from './management.ts';
export type { LogReading, PeopleDatabase } from './people-database.ts';
