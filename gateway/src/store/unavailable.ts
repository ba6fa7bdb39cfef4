/** Why a store gave no answer. `busy`: too many wait for one already. */
export type UnavailableReason = 'disconnected' | 'timeout' | 'busy' | 'failed';

/** A shared store could not be used. Callers go on without it. */
export class StoreUnavailable extends Error {
  readonly code = 'STORE_UNAVAILABLE';
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, cause?: unknown) {
    super(`The store could not be used: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'StoreUnavailable';
    this.reason = reason;
  }
}
