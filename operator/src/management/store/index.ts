export { differences, type FieldEdit, toPlain } from './differences.ts';
export type { OutsideWrite } from './outside-write.ts';
export { isScimMade, ownerOf, SCIM_LABELS } from './owner.ts';
export type {
  DeleteOptions,
  Draft,
  Place,
  ResourceStore,
  SecretDraft,
  StoredMeta,
  StoredObject,
  WriteOptions,
  WriteProblem,
  Written,
} from './port.ts';
export { permittedOnly, problemInReview } from './review.ts';
