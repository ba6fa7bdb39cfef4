/** Recent publications, and which of them all ready pods serve, judged by the digests that pods report. */
import type { Acknowledgement } from '../index.ts';

export interface Publication {
  readonly digest: string;
  /** Of the translation that was published. */
  readonly sequence: number;
  /** Undefined where the duration is not measured: no pod was ready, or all pods serve it already. */
  readonly sinceMs: number | undefined;
}

export interface ServedState {
  /** The newest translation that every ready pod serves; -1: none is known, or no pod is ready. */
  readonly served: number;
  /** Whether there are ready pods and all of them have answered. */
  readonly isKnown: boolean;
  /** The times of the publications that all pods serve since this call. */
  readonly taken: readonly number[];
}

/** Publications that a pod may still serve; the oldest are dropped first, since later ones include their changes. */
const MAX_PUBLICATIONS = 256;

export class Publications {
  #issues: readonly Publication[] = [];

  add(issue: Publication): void {
    this.#issues = [...this.#issues.slice(1 - MAX_PUBLICATIONS), issue];
  }

  settle(table: readonly Acknowledgement[]): ServedState {
    const newest = new Map(this.#issues.map(({ digest, sequence }) => [digest, sequence]));
    const ready = table.filter(({ pod }) => pod.ready);
    const sequences = ready.map(({ answer }) => newest.get(answer?.digest ?? '') ?? -1);
    const served = ready.length === 0 ? -1 : Math.min(...sequences);
    const taken = this.#issues.flatMap(({ sequence, sinceMs }) =>
      sequence <= served && sinceMs !== undefined ? [sinceMs] : [],
    );
    if (taken.length > 0) {
      this.#issues = this.#issues.map((issue) => (issue.sequence <= served ? { ...issue, sinceMs: undefined } : issue));
    }
    return { served, taken, isKnown: ready.length > 0 && ready.every(({ answer }) => answer?.version !== undefined) };
  }
}
