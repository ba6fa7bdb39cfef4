/** The keys that an issuer publishes at a URL: fetched in the background, and kept while the issuer is away. */
import { AppError } from '../errors/index.ts';
import { KeySet, type SigningKey } from '../lib/jwt/index.ts';

export interface RemoteKeysPorts {
  /** The members of `keys` of the set at the URL; rejects where there is none. */
  fetchKeys(uri: string): Promise<readonly unknown[]>;
  /** Called with every outcome. */
  onFetch(uri: string, error: unknown): void;
  /** Monotonic time in ms. */
  nowMs(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Runs the task after the time; returns what forgets it. */
  after(ms: number, task: () => void): () => void;
}

/** Between two fetches, unless a token names a key that is not known. */
const REFRESH_MS = 5 * 60_000;
/** Least time between two fetches because of unknown keys. */
const UNKNOWN_KEY_GAP_MS = 10_000;
/** After a failure, doubled each time up to the time of a refresh. */
const FIRST_RETRY_MS = 2_000;
const SPREAD = 0.1;

/** One URL. */
export class RemoteKeys {
  readonly #uri: string;
  readonly #ports: RemoteKeysPorts;
  #keys: KeySet | undefined;
  #fetching: Promise<void> | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #forget = (): void => undefined;
  #isClosed = false;

  constructor(uri: string, ports: RemoteKeysPorts) {
    this.#uri = uri;
    this.#ports = ports;
    void this.#fetch();
  }

  /**
   * The key of a token; undefined: the issuer has none. Waits for a fetch only where the key is not known, and starts one at
   * most every ten seconds. Rejects with ISSUER_KEYS_UNAVAILABLE as long as nothing was ever fetched.
   */
  find(kid: string, alg: string): SigningKey | undefined | Promise<SigningKey | undefined> {
    return this.#keys?.find(kid, alg) ?? this.#findAnew(kid, alg);
  }

  has(key: SigningKey): boolean {
    return this.#keys?.has(key) ?? false;
  }

  close(): void {
    this.#isClosed = true;
    this.#forget();
  }

  async #findAnew(kid: string, alg: string): Promise<SigningKey | undefined> {
    const isDue =
      this.#ports.nowMs() - this.#startedMs >= (this.#keys === undefined ? FIRST_RETRY_MS : UNKNOWN_KEY_GAP_MS);
    if (this.#fetching !== undefined || isDue) await this.#fetch();
    if (this.#keys === undefined) throw new AppError('ISSUER_KEYS_UNAVAILABLE', { retryAfterMs: FIRST_RETRY_MS });
    return this.#keys.find(kid, alg);
  }

  /** Never rejects; one at a time. */
  #fetch(): Promise<void> {
    this.#fetching ??= this.#fetchOnce().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchOnce(): Promise<void> {
    const { fetchKeys, onFetch, nowMs } = this.#ports;
    this.#startedMs = nowMs();
    this.#forget();
    try {
      const keys = KeySet.of(await fetchKeys(this.#uri), this.#keys);
      // A set without keys is more likely a mistake than the end of all tokens.
      if (keys.size === 0) throw new Error('the set has no key for signatures');
      this.#keys = keys;
      this.#failures = 0;
      onFetch(this.#uri, undefined);
    } catch (error) {
      this.#failures += 1;
      onFetch(this.#uri, error);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const { random, after } = this.#ports;
    const wait = this.#failures === 0 ? REFRESH_MS : Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), REFRESH_MS);
    this.#forget = after(wait * (1 + SPREAD * (2 * random() - 1)), () => void this.#fetch());
  }
}
