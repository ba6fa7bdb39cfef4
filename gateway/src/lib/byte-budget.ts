/** The bytes that all requests together hold in memory. */
export interface ByteBudget {
  /** In bytes. */
  readonly limit: number;
  readonly used: number;
  /** An account whose owner closes it when the bytes are gone. */
  open(): ByteAccount;
}

/** What one owner holds of a budget. */
export interface ByteAccount {
  /** Counts `bytes` more as held; false when they would pass the limit of the budget: then nothing was counted. */
  take(bytes: number): boolean;
  /** Gives back a part. */
  give(bytes: number): void;
  /** Gives back everything; the account stays open. */
  clear(): void;
  /** Gives back everything for good: whatever asks later is refused. */
  close(): void;
}

/** `onRefused` hears of each refusal. */
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
