export { type Applier, type ApplierOptions, createApplier } from './apply.ts';
