/** Counts of one target since its first failure. */
export interface CircuitRecord {
  readonly failures: number;
  readonly successes: number;
  /** Unix time in ms. */
  readonly firstFailureMs: number;
}

/** The records of all targets of a config, shared by the gateways. Methods reject when the store cannot be reached. */
export interface CircuitStore {
  /** By path, e.g. `config.targets[1].targets[0]`; a target that has not failed has no record. */
  read(key: string): Promise<ReadonlyMap<string, CircuitRecord>>;
  /** Counts atomically. The first failure starts the record; a success before any failure is not recorded. */
  record(key: string, path: string, outcome: 'success' | 'failure'): Promise<void>;
  clear(key: string, path: string): Promise<void>;
}

/** Time after the last change until a config's records expire, in seconds. */
export const CIRCUIT_TTL_SECONDS = 86_400;

/**
 * The key of a config's records. The version is part of it, so that saving a config resets its breakers; the braces keep
 * a Redis cluster from spreading the versions.
 */
export function circuitKey(config: {
  readonly organisation: string;
  readonly workspace: string;
  readonly slug: string;
  readonly version: string;
}): string {
  return `{circuit_breaker:${config.organisation}:${config.workspace}:${config.slug}}:${config.version}`;
}
