/** Demands of one owner's counters on their way to Redis, and what reservations of them have used until Redis is told. */
import { DemandList } from '../demand-list.ts';
import type { Demand, WindowState } from '../limiter.ts';
import { keyOf, sizeOf } from './counters.ts';

/** Demands, prepared for a script. */
export class RedisList extends DemandList {
  /** By counter. */
  readonly keys: readonly string[];
  /** Length of the window in ms, by counter. */
  readonly sizes: readonly number[];
  /** Of all counters: those of different owners are on different nodes of a cluster. */
  readonly slot: string;
  #lot: Lot | undefined;

  constructor(demands: readonly Demand[]) {
    super(demands, keyOf);
    this.keys = this.counters.map(keyOf);
    this.sizes = this.counters.map(sizeOf);
    this.slot = demands[0]?.slot ?? '';
  }

  /** What was granted in these windows and leases, by counter; the same lot while they last. */
  lotOf(startsMs: readonly number[], leases: readonly number[]): Lot {
    if (this.#lot === undefined || !this.#lot.isOf(startsMs, leases)) this.#lot = new Lot(this, startsMs, leases);
    return this.#lot;
  }

  windowsOf(startsMs: readonly number[], counts: readonly number[], nowMs: number): readonly WindowState[] {
    return this.demands.map(({ limit }, i) => {
      const at = this.positions[i] ?? 0;
      return {
        remaining: Math.max(0, limit - (counts[at] ?? 0)),
        resetMs: Math.max(0, (startsMs[at] ?? 0) + (this.sizes[at] ?? 0) - nowMs),
      };
    });
  }
}

/** Corrections of one counter, summed over reservations. */
export interface Settlement {
  /** The position of the counter in the list. */
  readonly at: number;
  /** Start of the window that was reserved in, Unix time in ms. */
  readonly startMs: number;
  /** Number of the lease; 0: none. */
  readonly lease: number;
  readonly taken: number;
  readonly used: number;
  /** What each used above what it had taken: it counts also when the window is over. */
  readonly over: number;
}

/** Reservations whose counters were granted in the same windows and leases. */
export class Lot {
  readonly list: RedisList;
  readonly #startsMs: readonly number[];
  readonly #leases: readonly number[];
  readonly #taken: number[];
  readonly #used: number[];
  readonly #over: number[];
  /** Whether there are corrections. */
  isDue = false;

  constructor(list: RedisList, startsMs: readonly number[], leases: readonly number[]) {
    this.list = list;
    this.#startsMs = startsMs;
    this.#leases = leases;
    this.#taken = startsMs.map(() => 0);
    this.#used = [...this.#taken];
    this.#over = [...this.#taken];
  }

  isOf(startsMs: readonly number[], leases: readonly number[]): boolean {
    return startsMs.every((start, i) => start === this.#startsMs[i] && leases[i] === this.#leases[i]);
  }

  /** The same windows, whose leases have returned everything. */
  withoutLeases(): Lot {
    return new Lot(
      this.list,
      this.#startsMs,
      this.#leases.map(() => 0),
    );
  }

  /** `used`, `taken`: by counter. `times`: so many reservations have used the same. */
  end(used: readonly number[], taken: readonly number[] = this.list.costs, times = 1): void {
    for (let i = 0; i < taken.length; i += 1) {
      const [units, actual] = [taken[i] ?? 0, used[i] ?? 0];
      if (units === 0 && actual === 0) continue; // room only
      if (units === actual && this.#leases[i] === 0) continue; // counted as it is
      this.isDue = true;
      this.#add(i, { taken: units * times, used: actual * times, over: Math.max(0, actual - units) * times });
    }
  }

  /** The corrections, which are no longer its own. */
  takeSettlements(): Settlement[] {
    this.isDue = false;
    const settlements: Settlement[] = [];
    for (let at = 0; at < this.#taken.length; at += 1) {
      const [taken = 0, used = 0, over = 0] = [this.#taken[at], this.#used[at], this.#over[at]];
      if (taken === 0 && used === 0) continue;
      settlements.push({ at, startMs: this.#startsMs[at] ?? 0, lease: this.#leases[at] ?? 0, taken, used, over });
      this.#taken[at] = 0;
      this.#used[at] = 0;
      this.#over[at] = 0;
    }
    return settlements;
  }

  /** Makes corrections its own again. */
  restore(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) this.#add(settlement.at, settlement);
    this.isDue ||= settlements.length > 0;
  }

  #add(i: number, { taken, used, over }: Pick<Settlement, 'taken' | 'used' | 'over'>): void {
    this.#taken[i] = atMost((this.#taken[i] ?? 0) + taken);
    this.#used[i] = atMost((this.#used[i] ?? 0) + used);
    this.#over[i] = atMost((this.#over[i] ?? 0) + over);
  }
}

const atMost = (units: number): number => Math.min(units, Number.MAX_SAFE_INTEGER);
