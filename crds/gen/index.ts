/** What tests and charts take from the generators; build time only, never part of a program. */
export { crdOf, type KindSchema, schemaOf } from './crd.ts';
export { generatedFiles } from './outputs.ts';
export { type Example, examplesOf, type SampleObject, sampleObjects, toFileName } from './samples.ts';
export type { PlacedRule, Structural, Validation } from './structural.ts';
