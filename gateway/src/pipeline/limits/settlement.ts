/** What a target holds of limits until its answer is known. */
import type { Demand, Reservation } from '../../limits/index.ts';
import type { Settlement, Spent } from '../../record/index.ts';
import type { LimitPorts } from './entry.ts';

/** The first call of `settle` or `release` counts. */
export class TargetHold implements Settlement {
  readonly #now: () => number;
  readonly #demands: readonly Demand[];
  readonly #reservation: Reservation;
  #isOver = false;

  constructor({ now }: Pick<LimitPorts, 'now'>, { demands, reservation }: Holding) {
    this.#now = now;
    this.#demands = demands;
    this.#reservation = reservation;
  }

  /** Requests count for any answer, tokens for good ones. */
  settle(spent: Spent): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const tokens = tokensOf(spent);
    const actual = this.#demands.map(({ unit }) => (unit === 'requests' ? 1 : tokens));
    void this.#reservation.settle(actual, this.#now());
  }

  /** The provider gave no answer: nothing is counted. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#reservation.release();
  }
}

export interface Holding {
  readonly demands: readonly Demand[];
  readonly reservation: Reservation;
}

const tokensOf = ({ status, usage }: Spent): number =>
  status < 200 || status > 299 ? 0 : Math.ceil(usage?.total ?? 0);
