import type { Running } from '../processes.ts';
import { usageOf } from '../usage.ts';
import type { Point } from './slope.ts';

const SAMPLE_MS = 1_000;

/** Samples the resident memory of gateways that come and go. */
export class MemoryWatch {
  /** By process: ms since the start, MB. */
  readonly #samples = new Map<number, Point[]>();
  readonly #startMs = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(running: () => readonly Running[]) {
    this.#timer = setInterval(() => {
      for (const { pid } of running()) this.#sample(pid);
    }, SAMPLE_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The samples of each process in the second half of that time. */
  seen(running: readonly Running[], totalMs: number): readonly (readonly Point[])[] {
    return running.map(({ pid }) => (this.#samples.get(pid) ?? []).filter(({ x }) => x >= totalMs / 2));
  }

  #sample(pid: number): void {
    const samples = this.#samples.get(pid) ?? [];
    this.#samples.set(pid, samples);
    usageOf(pid).then(
      ({ rssMb }) => samples.push({ x: performance.now() - this.#startMs, y: rssMb }),
      () => undefined, // it has ended
    );
  }
}
