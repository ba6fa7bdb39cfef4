/** How work of the store is taken by one process at a time. */

export interface ClaimOptions {
  readonly nowMs: number;
  /** A lease that is not renewed for so long is free again, in ms. */
  readonly leaseMs: number;
  /** Their batches are not taken. */
  readonly except?: ReadonlySet<string>;
}

/** Somebody else works on the batch. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
