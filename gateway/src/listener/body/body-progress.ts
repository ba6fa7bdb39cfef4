/** A request body has to arrive at a least rate: a client that sends a byte now and then would hold a connection for hours. */
import { AppError } from '../../errors/index.ts';

export interface ProgressRule {
  /** Longest wait for the next bytes in ms, and the time after which the rate counts; 0: forever. */
  readonly idleMs: number;
  /** Least average rate over the time spent waiting for the client. */
  readonly minBytesPerSecond: number;
}

export interface ProgressWatch {
  /** A read waits for bytes from now on. */
  wait(): void;
  /** The wait is over. */
  arrived(bytes: number): void;
  stop(): void;
}

/** Calls `onStalled` once, with BODY_STALLED, when a wait takes too long. Only waits count: a slow reader is not the client's fault. */
export const watchProgress = (rule: ProgressRule, onStalled: (error: AppError) => void): ProgressWatch =>
  new Watch(rule, onStalled);

class Watch implements ProgressWatch {
  readonly #rule: ProgressRule;
  readonly #onStalled: (error: AppError) => void;
  #timer: NodeJS.Timeout | undefined;
  #sinceMs = 0;
  #waitedMs = 0;
  #received = 0;

  constructor(rule: ProgressRule, onStalled: (error: AppError) => void) {
    this.#rule = rule;
    this.#onStalled = onStalled;
  }

  wait(): void {
    const { idleMs, minBytesPerSecond } = this.#rule;
    if (idleMs === 0) return;
    this.#sinceMs = performance.now();
    const earnedMs = minBytesPerSecond === 0 ? Number.POSITIVE_INFINITY : (this.#received * 1_000) / minBytesPerSecond;
    const leftMs = Math.max(0, Math.min(idleMs, idleMs + earnedMs - this.#waitedMs));
    this.#timer = setTimeout(stalled, leftMs, this);
  }

  arrived(bytes: number): void {
    this.stop();
    this.#waitedMs += performance.now() - this.#sinceMs;
    this.#received += bytes;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  stalled(): void {
    const { idleMs, minBytesPerSecond } = this.#rule;
    const seconds = Math.round((this.#waitedMs + performance.now() - this.#sinceMs) / 1000);
    const detail = `The request body came too slowly: ${this.#received} bytes in ${seconds} s; at least ${minBytesPerSecond} bytes per second are expected, and no pause longer than ${idleMs} ms`;
    this.#onStalled(new AppError('BODY_STALLED', { detail }));
  }
}

const stalled = (watch: Watch): void => watch.stalled();
