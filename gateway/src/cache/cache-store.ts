/** Where answers are kept. Methods reject when the store cannot be reached. */
export interface CacheStore {
  /** The bytes as they were set; whoever gets them does not change them. */
  get(key: string): Promise<Buffer | undefined>;
  /** Replaces. A value beyond the store's bound is not kept, nor is the older one. `ttlSeconds`: a whole number from 1. */
  set(key: string, value: Buffer, ttlSeconds: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Releases what the store itself holds; a connection it was given stays open. */
  close(): Promise<void>;
}
