/** The database of a standalone process. docs/behaviour/people.md#where-people-are */
export { createEmbedded, type Embedded } from './embedded.ts';
export { logObjectsOf } from './log-objects.ts';
export { type OpenDatabases, openDatabases, type PeopleOptions } from './people.ts';
