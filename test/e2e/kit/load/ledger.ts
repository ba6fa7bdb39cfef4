/** The book of a load: what was sent and how it ended. Pure, so that what a run proves can be tested without one. */

export type Kind = 'request' | 'stream';

/** Something that did not end as it should have. */
export interface Mishap {
  readonly kind: Kind;
  readonly target: string;
  /** `refused`: an answer other than 200; `lost`: no answer; `cut`: an answer without its end. */
  readonly how: 'refused' | 'lost' | 'cut';
  /** Status, or the code of the error. */
  readonly reason: string;
  /** When it was sent and when it failed, in ms since 1970. */
  readonly sentAt: number;
  readonly failedAt: number;
}

export interface Tally {
  readonly started: number;
  readonly ok: number;
  readonly refused: number;
  readonly lost: number;
  readonly cut: number;
}

export interface LoadReport {
  readonly requests: Tally;
  readonly streams: Tally;
  /** Streams open at this moment, the first byte of whose answer has come. */
  readonly openStreams: number;
  /** Whole time of good requests, in ms. */
  readonly latency: { readonly p50: number; readonly p99: number; readonly max: number };
  /** The first of them. */
  readonly mishaps: readonly Mishap[];
}

const MAX_MISHAPS = 200;
/** An hour at 200 requests/s would be 720,000; tests last minutes. */
const MAX_LATENCIES = 500_000;

const emptyTally = () => ({ started: 0, ok: 0, refused: 0, lost: 0, cut: 0 });

export class Ledger {
  readonly #tallies = { request: emptyTally(), stream: emptyTally() };
  readonly #mishaps: Mishap[] = [];
  readonly #latencies: number[] = [];
  #openStreams = 0;

  started(kind: Kind): void {
    this.#tallies[kind].started += 1;
  }

  finished(kind: Kind, tookMs: number): void {
    this.#tallies[kind].ok += 1;
    if (kind === 'request' && this.#latencies.length < MAX_LATENCIES) this.#latencies.push(tookMs);
  }

  failed(mishap: Mishap): void {
    this.#tallies[mishap.kind][mishap.how] += 1;
    if (this.#mishaps.length < MAX_MISHAPS) this.#mishaps.push(mishap);
  }

  streamOpened(): void {
    this.#openStreams += 1;
  }

  streamClosed(): void {
    this.#openStreams -= 1;
  }

  report(): LoadReport {
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    return {
      requests: { ...this.#tallies.request },
      streams: { ...this.#tallies.stream },
      openStreams: this.#openStreams,
      latency: { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: sorted.at(-1) ?? 0 },
      mishaps: [...this.#mishaps],
    };
  }
}

/** Of sorted values; 0 when there are none. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
