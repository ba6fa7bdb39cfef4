import type { Reservation, WindowState } from '../limiter.ts';
import type { Grant } from './batch.ts';
import type { Batches } from './batches.ts';
import type { Holds } from './holds.ts';
import type { Lot } from './lot.ts';

interface Ends {
  readonly batches: Pick<Batches, 'settle'>;
  readonly holds: Pick<Holds, 'remove'>;
}

/** What one owner's counters have granted to a request. */
export class RedisReservation implements Reservation {
  readonly allowed = true;
  readonly lot: Lot;
  /** Unix time in ms. */
  readonly expiresAtMs: number;
  readonly #grant: Grant;
  readonly #ends: Ends;
  readonly #nowMs: number;
  #isExpired = false;
  #ended = false;

  constructor(grant: Grant, ends: Ends, { nowMs, holdMs }: { readonly nowMs: number; readonly holdMs: number }) {
    this.lot = grant.lot;
    this.expiresAtMs = nowMs + holdMs;
    this.#grant = grant;
    this.#ends = ends;
    this.#nowMs = nowMs;
  }

  get windows(): readonly WindowState[] {
    return this.#grant.windows;
  }

  settle(actualCosts: readonly number[], nowMs: number): Promise<void> | undefined {
    return this.#end(this.lot.list.usedOf(actualCosts), nowMs);
  }

  release(): Promise<void> | undefined {
    return this.#end([], this.#nowMs);
  }

  /** Returns the estimates; what is settled later counts in full. */
  expire(nowMs: number): void {
    this.#isExpired = true;
    const { isEstimate, costs } = this.lot.list;
    this.lot.end(costs.map((units, i) => (isEstimate[i] ? 0 : units)));
    if (this.lot.isDue) void this.#ends.batches.settle(this.lot, nowMs); // never rejects
  }

  #end(used: readonly number[], nowMs: number): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#ended = true;
    this.#ends.holds.remove(this);
    const lot = this.#isExpired ? this.#endLate(used) : this.lot;
    if (!this.#isExpired) lot.end(used);
    return lot.isDue ? this.#ends.batches.settle(lot, nowMs) : undefined;
  }

  /** The estimates have been returned. */
  #endLate(used: readonly number[]): Lot {
    const { isEstimate, costs } = this.lot.list;
    const late = this.lot.withoutLeases();
    late.end(
      used,
      costs.map((units, i) => (isEstimate[i] ? 0 : units)),
    );
    return late;
  }
}
