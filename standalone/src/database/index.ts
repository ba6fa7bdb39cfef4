/** The database of a standalone process. docs/behaviour/people.md */
export { createEmbeddedDatabase, type EmbeddedOptions } from './database.ts';
