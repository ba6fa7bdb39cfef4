/**
 * Why a store could not be used. `busy`: too many commands are pending. `refused`: the server answered with an error, so that
 * nothing was done; after `timeout` and `failed` that is unknown.
 */
export type UnavailableReason = 'disconnected' | 'timeout' | 'busy' | 'refused' | 'failed';

/** A shared store could not be used. Callers continue without it. */
export class StoreUnavailable extends Error {
  readonly code = 'STORE_UNAVAILABLE';
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, cause?: unknown) {
    super(`The store could not be used: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'StoreUnavailable';
    this.reason = reason;
  }
}
