/** What was published lately, and which of it all ready pods serve: told by the digests of what they serve, and by nothing else. */
import type { Acknowledgement } from '../index.ts';

export interface Publication {
  readonly digest: string;
  /** Of the translation that was published. */
  readonly sequence: number;
  /** Undefined where nobody waited: no pod was ready, or it has been taken. */
  readonly sinceMs: number | undefined;
}

export interface ServedState {
  /** The newest translation that every ready pod serves; -1: none is known, or no pod is ready. */
  readonly served: number;
  /** Whether there are ready pods, and all of them have said what they serve. */
  readonly isKnown: boolean;
  /** Since when those that all pods have taken now had been waited for. */
  readonly taken: readonly number[];
}

/** Publications that a pod may still serve; older ones are forgotten first, since later ones hold what they had. */
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
