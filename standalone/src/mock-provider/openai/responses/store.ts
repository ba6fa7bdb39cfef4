import { type BoundedMap, createBoundedMap } from '../../bounded-map.ts';
import type { ResponseObject } from './object.ts';

const MAX_RESPONSES = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;

export interface StoredResponse {
  readonly response: ResponseObject;
  /** The items of the request itself. */
  readonly input: readonly unknown[];
  /** Everything a follow-up request continues: earlier items, the input and the output. */
  readonly context: readonly unknown[];
}

export type ResponseStore = BoundedMap<string, StoredResponse>;

export function createResponseStore(): ResponseStore {
  return createBoundedMap({ maxEntries: MAX_RESPONSES, maxBytes: MAX_BYTES });
}
