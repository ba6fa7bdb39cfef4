/** How many requests may have hooks running after their answers: docs/behaviour/guardrails.md#after-the-answer. */

/** Who chose the hooks: the config of a request, or a saved config and the owners of default guardrails. */
export type ChosenBy = 'request' | 'resource';

export interface WatchOwner {
  readonly workspace: string;
  readonly chosenBy: ChosenBy;
}

/** Requests at the same time. Those whose own configs chose the hooks take at most half of each. */
export interface WatchLimits {
  readonly process: number;
  readonly workspace: number;
}

const LIMITS: WatchLimits = { process: 512, workspace: 128 };

/** Requests that hold a place. */
interface Taken {
  all: number;
  byRequest: number;
}

/** Places for hooks that run; what one caller or workspace takes leaves places for others. */
export class WatchRoom {
  readonly #limits: WatchLimits;
  readonly #process: Taken = { all: 0, byRequest: 0 };
  /** Workspaces that hold a place. */
  readonly #workspaces = new Map<string, Taken>();

  constructor(limits: WatchLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Whether there is a place; each that is taken is given back once. */
  take(owner: WatchOwner): boolean {
    const own = this.#workspaces.get(owner.workspace) ?? { all: 0, byRequest: 0 };
    const { process, workspace } = this.#limits;
    if (!hasPlace(this.#process, process, owner) || !hasPlace(own, workspace, owner)) return false;
    this.#workspaces.set(owner.workspace, own);
    add(this.#process, 1, owner);
    add(own, 1, owner);
    return true;
  }

  give(owner: WatchOwner): void {
    const own = this.#workspaces.get(owner.workspace);
    if (own === undefined) return;
    add(this.#process, -1, owner);
    add(own, -1, owner);
    if (own.all === 0) this.#workspaces.delete(owner.workspace);
  }
}

const hasPlace = ({ all, byRequest }: Taken, limit: number, { chosenBy }: WatchOwner): boolean =>
  all < limit && (chosenBy === 'resource' || byRequest < limit / 2);

function add(taken: Taken, places: number, { chosenBy }: WatchOwner): void {
  taken.all += places;
  if (chosenBy === 'request') taken.byRequest += places;
}
