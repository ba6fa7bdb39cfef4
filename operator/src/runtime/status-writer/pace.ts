import { type Clock, sleep } from '../time/index.ts';

export interface PaceOptions {
  /** The most calls at once, however fast the server answers. */
  readonly maxAtOnce: number;
  readonly clock: Clock;
}

/**
 * How many calls to the API server may be under way at once, by how it answers: one more as long as it answers about as fast as
 * it does when nearly idle, fewer when it slows down, half when it refuses calls or all of them fail, and none while it asks to wait.
 */
export interface Pace {
  /** Resolves when another call may be under way; rejects with the reason of the signal. */
  turn(signal: AbortSignal): Promise<Turn>;
}

/** The right to one call; dispose it when the call is over. */
export interface Turn extends Disposable {
  /** The call was answered after so long, in ms; `busy`: more calls were waiting for their turn. */
  answered(latencyMs: number, options: { readonly busy: boolean }): void;
  /** The server has refused the call for its load, or cannot be reached, and asks to wait so long, in ms. */
  refused(waitMs: number): void;
  /** The call has failed for a reason of its own or of the server: many in a row count as a refusal. */
  failed(): void;
}

/** Answers that are looked at together: single ones differ too much. */
const SAMPLE = 16;
/** An answer takes at most so many times as long as one of a server that is nearly idle. */
const [GROW_BELOW, SHRINK_ABOVE] = [3, 5];
const [SHRINK, HALVE] = [0.75, 0.5];
/** A server that takes longer for single calls has too much to do already: it gets no more of them. */
const MAX_IDLE_MS = 50;
/** How often the time of an answer to single calls is measured again, in ms: other work on the server comes and goes. */
const MEASURE_MS = 30_000;
/** After a refusal that does not say how long to wait; and the longest wait, whatever it says. */
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [100, 60_000];
/** Failures without an answer between them: those of one namespace, by its admission webhooks, must not hold up the others. */
const MAX_FAILURES = 16;

export function createPace(options: PaceOptions): Pace {
  return new AdaptivePace(options);
}

class AdaptivePace implements Pace {
  readonly #options: PaceOptions;
  readonly #waiting: (() => void)[] = [];
  /** May be a fraction, and is at least one. */
  #limit = 1;
  #underWay = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** The mean time of an answer to single calls; undefined while it is measured. */
  #idleMs: number | undefined;
  #measuredAtMs = 0;
  #answers = 0;
  #sumMs = 0;
  /** Since the last answer. */
  #failures = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  async turn(signal: AbortSignal): Promise<Turn> {
    const { clock } = this.#options;
    for (;;) {
      const pauseMs = this.#pausedUntilMs - clock.monotonicMs();
      if (pauseMs > 0) await sleep(pauseMs, { signal, clock });
      else if (this.#underWay < this.#atOnce) break;
      else await this.#untilChange(signal);
    }
    this.#underWay += 1;
    return {
      answered: (latencyMs, { busy }) => this.#note(latencyMs, busy),
      refused: (waitMs) => this.#refused(waitMs),
      failed: () => this.#failed(),
      [Symbol.dispose]: () => {
        this.#underWay -= 1;
        this.#wake();
      },
    };
  }

  get #atOnce(): number {
    return this.#idleMs === undefined ? 1 : Math.floor(this.#limit);
  }

  #note(latencyMs: number, busy: boolean): void {
    this.#failures = 0;
    if (this.#idleMs === undefined && this.#underWay > 1) return; // begun before the measurement
    this.#answers += 1;
    this.#sumMs += latencyMs;
    if (this.#answers < SAMPLE) return;
    const meanMs = this.#sumMs / this.#answers;
    this.#restart();
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#idleMs === undefined) {
      this.#idleMs = Math.min(meanMs, MAX_IDLE_MS);
      this.#measuredAtMs = nowMs;
    } else if (nowMs - this.#measuredAtMs > MEASURE_MS) this.#idleMs = undefined;
    else if (meanMs > SHRINK_ABOVE * this.#idleMs) this.#limit = Math.max(1, this.#limit * SHRINK);
    else if (busy && meanMs < GROW_BELOW * this.#idleMs) {
      this.#limit = Math.min(this.#options.maxAtOnce, this.#limit + 1);
    }
    this.#wake();
  }

  #refused(waitMs: number): void {
    const nowMs = this.#options.clock.monotonicMs();
    // Calls that were under way together are refused together.
    if (nowMs >= this.#pausedUntilMs) this.#limit = Math.max(1, this.#limit * HALVE);
    const pauseMs = Math.min(Math.max(waitMs, MIN_PAUSE_MS), MAX_PAUSE_MS);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pauseMs);
    this.#restart();
  }

  #failed(): void {
    this.#failures += 1;
    if (this.#failures >= MAX_FAILURES) this.#refused(0);
  }

  #restart(): void {
    this.#answers = 0;
    this.#sumMs = 0;
  }

  /** Every waiter looks again: there are at most as many as calls at once. */
  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #untilChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
    });
  }
}
