/** The bytes that all requests together hold in memory. */
export interface ByteBudget {
  /** In bytes. */
  readonly limit: number;
  readonly used: number;
  /** Opens an account; its owner closes it when the bytes are released. */
  open(): ByteAccount;
}

/** The share of a budget that one owner holds. */
export interface ByteAccount {
  /** Counts `bytes` more as held; false when they would exceed the budget, in which case nothing is counted. */
  take(bytes: number): boolean;
  /** Releases a part. */
  give(bytes: number): void;
  /** Releases everything; the account stays open. */
  clear(): void;
  /** Releases everything; later `take` calls are refused. */
  close(): void;
}

/** `onRefused` is called for each refusal. */
export function createByteBudget(limit: number, onRefused: () => void = () => undefined): ByteBudget {
  let used = 0;
  return {
    limit,
    get used() {
      return used;
    },
    open: () => {
      let held = 0;
      let closed = false;
      const give = (bytes: number): void => {
        const given = Math.min(bytes, held);
        held -= given;
        used -= given;
      };
      return {
        take: (bytes) => {
          if (closed) return false;
          if (used + bytes > limit) {
            onRefused();
            return false;
          }
          used += bytes;
          held += bytes;
          return true;
        },
        give,
        clear: () => give(held),
        close: () => {
          closed = true;
          give(held);
        },
      };
    },
  };
}
