/** The rules of our Kinds at the door of the API server. */

export type { TranslatedWorld } from './dry-run.ts';
export { reviewResource, type ValidationView } from './validate.ts';
