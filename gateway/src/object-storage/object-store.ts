/** Where the bytes of files are. */
import type { Readable } from 'node:stream';
import type { CancelSignal } from '../lib/cancellation.ts';

/** Keys are paths of letters, digits, dots, dashes and underscores, without a first slash. */
export interface ObjectStore {
  /**
   * Stores all bytes under the key, in place of what was there; resolves with their number once they are safe. When the source or
   * the store fails, or the signal is cancelled, nothing is there, or what was. Rejects with what the source threw, the reason of
   * the signal, or StoreFailure.
   */
  put(key: string, source: AsyncIterable<Buffer>, options: { readonly signal: CancelSignal }): Promise<number>;
  /** The bytes; undefined: there is no such object. Rejects with StoreFailure; so does the stream. */
  get(key: string): Promise<Readable | undefined>;
  /** Does nothing where there is no such object. Rejects with StoreFailure. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

/** A store cannot be reached or used. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  /** What a bucket answered; undefined: it did not. */
  readonly status: number | undefined;

  constructor(message: string, { cause, status }: { readonly cause?: unknown; readonly status?: number } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
  }
}

export const OBJECT_KEY = /^[\w.-]+(?:\/[\w.-]+)*$/;

/** Throws an Error for a key that is none: callers make keys of names that were checked. */
export function checkObjectKey(key: string): void {
  if (!OBJECT_KEY.test(key) || key.split('/').some((part) => part === '.' || part === '..')) {
    throw new Error('The key of an object is not one');
  }
}
