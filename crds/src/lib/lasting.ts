/** A value that ends and is found anew before it does, e.g. the credentials of a role. */

export interface LastingOptions<T> {
  find(): Promise<T>;
  /** When the value must not be used any more, as Unix time in ms; undefined: it does not end. */
  endOf(value: T): number | undefined;
  /** Unix time in ms. */
  now(): number;
  /** How old a value is before it is found anew, in ms. */
  readonly renewMs: number;
  /** How long before its end a value is found anew, if that is sooner, and the pause after a failure, in ms. */
  readonly marginMs: number;
}

/**
 * Finds a value when it is first asked for. A later one is looked for beside its use, so that nobody waits, one look-up at a
 * time; while that fails, the known value is used until its end. Rejects with the failure only where there is no usable value.
 */
export function createLasting<T>({ find, endOf, now, renewMs, marginMs }: LastingOptions<T>): () => Promise<T> {
  let known: { readonly value: T; readonly endMs: number } | undefined;
  let renewAtMs = 0;
  let running: Promise<T> | undefined;
  const look = async (): Promise<T> => {
    try {
      const value = await find();
      known = { value, endMs: endOf(value) ?? Number.POSITIVE_INFINITY };
      renewAtMs = Math.max(now() + MIN_PAUSE_MS, Math.min(now() + renewMs, known.endMs - marginMs));
      return value;
    } catch (error) {
      renewAtMs = now() + Math.min(marginMs, RETRY_MS);
      throw error;
    } finally {
      running = undefined;
    }
  };
  const renew = (): Promise<T> => {
    running ??= look();
    return running;
  };
  return async () => {
    if (known === undefined || now() >= known.endMs) return renew();
    if (now() >= renewAtMs) renew().catch(() => undefined); // the known value serves until its end
    return known.value;
  };
}

/** Between look-ups for values that end within the margin. */
const MIN_PAUSE_MS = 1_000;
const RETRY_MS = 10_000;
