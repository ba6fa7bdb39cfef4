/** The management API of a standalone process, over its folder. docs/behaviour/management.md */
export { type Management, type ManagementOptions, type PeopleDatabase, startManagement } from './management.ts';
