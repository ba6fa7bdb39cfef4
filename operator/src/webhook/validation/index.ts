/** Admission of our Kinds. */

export type { TranslatedWorld } from '../../review/index.ts';
export { reviewResource, type ValidationView } from './validate.ts';
