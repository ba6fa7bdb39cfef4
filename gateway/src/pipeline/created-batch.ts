/** Batches at providers whose rows the gateway counts itself: docs/behaviour/cost.md#batches-of-providers. */

/** A batch of a stored account. */
export interface BatchOfAccount {
  /** Identifies the account, whoever uses it under whatever name. */
  readonly account: string;
  /** The provider's id. */
  readonly batch: string;
}

/** A batch that a key has created, and what is needed to read its output for the key. Nothing of it is a secret. */
export interface CreatedBatch extends BatchOfAccount {
  readonly workspace: string;
  /** Of the account in the workspace. */
  readonly slug: string;
  readonly key: { readonly id: string; readonly name: string; readonly user: string | undefined };
  /** The saved config of the call. */
  readonly config: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly traceId: string;
}

/** Neither method rejects: what cannot be followed is counted when its output is read. */
export interface FollowedBatches {
  /** Resolves when it is safe. */
  add(batch: CreatedBatch): Promise<void>;
  /** Whether the rows of the batch are still to be counted by the gateway. */
  has(batch: BatchOfAccount): Promise<boolean>;
}
