/** Generators of the contract, for tests and charts; build time only, never part of a program. */
export { crdOf, type KindSchema, schemaOf } from './crd.ts';
export { code, page, table } from './docs/markdown.ts';
export { generatedFiles } from './outputs.ts';
export { type Example, examplesOf, type SampleObject, sampleObjects, toFileName } from './samples.ts';
export type { RuleAtPath, Structural, Validation } from './structural.ts';
export { type Synced, syncFiles } from './sync.ts';
