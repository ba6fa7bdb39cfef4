/** Storage of answers. Methods reject when the store cannot be reached. */
export interface CacheStore {
  /** The bytes as they were set; callers must not change them. */
  get(key: string): Promise<Buffer | undefined>;
  /** Replaces the value. A value beyond the store's bound is not kept, and the older one is removed. `ttlSeconds`: a whole number from 1. */
  set(key: string, value: Buffer, ttlSeconds: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Releases the store's own resources; a connection passed in stays open. */
  close(): Promise<void>;
}
