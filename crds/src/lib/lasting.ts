/** A value that ends and is found anew before it does, e.g. the credentials of a role. */

export interface LastingOptions<T> {
  find(): Promise<T>;
  /** When the value must not be used any more, as Unix time in ms; undefined: it does not end. */
  endOf(value: T): number | undefined;
  /** Unix time in ms. */
  now(): number;
  /** How old a value is before it is found anew, in ms. */
  readonly renewMs: number;
  /** How long before its end a value is found anew, if that is sooner, in ms. */
  readonly marginMs: number;
}

/**
 * Finds a value when it is first asked for. A later one is looked for beside its use, so that nobody waits, one look-up at a
 * time; while that fails, the known value is used until its end, and there is a look-up every ten seconds. Without a usable value
 * it rejects with the failure, for a second without a further look-up.
 */
export function createLasting<T>({ find, endOf, now, renewMs, marginMs }: LastingOptions<T>): () => Promise<T> {
  let known: { readonly value: T; readonly endMs: number } | undefined;
  let failure: { readonly error: unknown; readonly atMs: number } | undefined;
  let renewAtMs = 0;
  let running: Promise<T> | undefined;
  const look = async (): Promise<T> => {
    try {
      const value = await find();
      known = { value, endMs: endOf(value) ?? Number.POSITIVE_INFINITY };
      failure = undefined;
      renewAtMs = Math.max(now() + MIN_PAUSE_MS, Math.min(now() + renewMs, known.endMs - marginMs));
      return value;
    } catch (error) {
      failure = { error, atMs: now() };
      renewAtMs = now() + RETRY_MS;
      throw error;
    }
  };
  const renew = (): Promise<T> => {
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };
  return async () => {
    if (known !== undefined && now() < known.endMs) {
      if (now() >= renewAtMs) renew().catch(() => undefined); // the known value serves until its end
      return known.value;
    }
    // A clock that was set back ends the pause.
    if (failure !== undefined && Math.abs(now() - failure.atMs) < MIN_PAUSE_MS) throw failure.error;
    return renew();
  };
}

/** Between look-ups for values that end within the margin, and after a failure without a usable value. */
const MIN_PAUSE_MS = 1_000;
/** After a failure while a value is usable. */
const RETRY_MS = 10_000;

/** Credentials that may end, for signing: not used in the last five seconds, found anew every five minutes. */
export const createLastingCredentials = <T extends { readonly expiresAtMs?: number | undefined }>(
  options: Pick<LastingOptions<T>, 'find' | 'now'>,
): (() => Promise<T>) =>
  createLasting({
    ...options,
    endOf: ({ expiresAtMs }) => expiresAtMs && expiresAtMs - SKEW_MS,
    ...{ renewMs: RENEW_MS, marginMs: MARGIN_MS },
  });

/** By which clocks may differ, and a signed request may take until it is checked. */
const SKEW_MS = 5_000;
const RENEW_MS = 300_000;
const MARGIN_MS = 60_000;
