/** What tests use of the generators; build time only. */
export { generatedFiles } from './outputs.ts';
export { defaultsOf, leavesOf } from './values/files.ts';
export { VALUES } from './values/values.ts';
