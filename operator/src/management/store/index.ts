export type {
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
