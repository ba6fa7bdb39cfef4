export { boundaryOf, isForm } from './boundary.ts';
export { createFormFields, type FormFields } from './fields.ts';
export type { PartHead } from './part-head.ts';
export { type FormPart, readParts } from './parts.ts';
export { createFormReader, FORM_LIMITS, type FormEvent, type FormLimits, type FormReader } from './reader.ts';
export { withModel } from './with-model.ts';
export { fieldsForm, formType, partHead, renamedHead, writeForm } from './writer.ts';
