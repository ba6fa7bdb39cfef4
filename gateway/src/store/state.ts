/** Short-lived texts shared by gateways, such as sticky choices. Methods reject when the store cannot be reached. */
export interface StateStore {
  get(key: string): Promise<string | undefined>;
  /** Replaces the value. `ttlSeconds` is a whole number of at least 1. */
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  delete(key: string): Promise<void>;
}
