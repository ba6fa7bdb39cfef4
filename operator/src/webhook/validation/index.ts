/** The rules of our Kinds at the door of the API server. */
export { reviewResource, type ValidationView } from './validate.ts';
export type { TranslatedWorld } from './what-if.ts';
