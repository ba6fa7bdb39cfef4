/** The database of a standalone process. docs/behaviour/people.md#where-people-are */
export { createEmbeddedDatabase, type EmbeddedOptions } from './embedded.ts';
export { openPeople, type PeopleOptions } from './people.ts';
