/** Admission of our Kinds. */

export type { TranslatedWorld } from './dry-run.ts';
export { reviewResource, type ValidationView } from './validate.ts';
