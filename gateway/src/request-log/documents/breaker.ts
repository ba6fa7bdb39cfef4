/** Spares a store that fails: docs/behaviour/request-logs.md#a-store-of-documents */

export interface BreakerSettings {
  /** Consecutive failures until no call is made. */
  readonly failures: number;
  /** Until a call probes the store, in ms. */
  readonly pauseMs: number;
}

/** Permission for one call; `end` says how it went. */
export interface Pass {
  end(isGood: boolean): void;
}

export class Breaker {
  readonly #settings: BreakerSettings;
  readonly #nowMs: () => number;
  #failures = 0;
  /** Undefined: closed. */
  #openedMs: number | undefined;
  #isProbing = false;

  /** `nowMs` is monotonic. */
  constructor(settings: BreakerSettings, nowMs: () => number) {
    this.#settings = settings;
    this.#nowMs = nowMs;
  }

  get isOpen(): boolean {
    return this.#openedMs !== undefined;
  }

  /** Whether `enter` gives a pass now. */
  get admits(): boolean {
    if (this.#openedMs === undefined) return true;
    return !this.#isProbing && this.#nowMs() - this.#openedMs >= this.#settings.pauseMs;
  }

  /** Undefined: no call may be made. While it is open, one call at a time has a pass. */
  enter(): Pass | undefined {
    if (!this.admits) return undefined;
    const isProbe = this.isOpen;
    this.#isProbing = isProbe;
    let hasEnded = false;
    return {
      end: (isGood) => {
        if (hasEnded) return;
        hasEnded = true;
        if (isProbe) this.#endProbe(isGood);
        else if (!this.isOpen) this.#count(isGood);
      },
    };
  }

  #count(isGood: boolean): void {
    this.#failures = isGood ? 0 : this.#failures + 1;
    if (this.#failures >= this.#settings.failures) this.#openedMs = this.#nowMs();
  }

  #endProbe(isGood: boolean): void {
    this.#isProbing = false;
    this.#failures = 0;
    this.#openedMs = isGood ? undefined : this.#nowMs();
  }
}
