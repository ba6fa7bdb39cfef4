import {
  type Change,
  type Demand,
  type Denial,
  isAmount,
  isCount,
  type LimitDecision,
  type Limiter,
  type Reservation,
  type WindowState,
} from './limiter.ts';
import { type Counter, type Counters, createCounters, endOf, isCurrent } from './memory-counters.ts';

export interface MemoryLimiterOptions {
  /** Counters that are kept; the least used ones are dropped, which starts a new window for them. */
  readonly maxCounters?: number;
  /** How long an estimate is held without `settle`, in ms; longer than any request should take. */
  readonly holdMs?: number;
  /** Unsettled estimates that can expire; of more than these the oldest count until their windows end. */
  readonly maxHeld?: number;
  /** Remembers what `takeChanges` returns. */
  readonly tracksChanges?: boolean;
}

/** A limiter that answers at once. */
export interface MemoryLimiter extends Limiter {
  ask(demands: readonly Demand[], nowMs: number): LimitDecision;
  reserve(demands: readonly Demand[], nowMs: number): Reservation | Denial;
  /** Learns what was counted elsewhere, so that it goes on from there. */
  learn(demands: readonly Demand[], windows: readonly WindowState[], nowMs: number): void;
  hasChanges(): boolean;
  /** What was counted here since the last call, without what was learned. */
  takeChanges(): readonly Change[];
}

const DEFAULTS = { maxCounters: 200_000, holdMs: 3_600_000, maxHeld: 100_000 } as const;

/** Counters of this process alone: N pods admit up to N times a limit. */
export function createMemoryLimiter(options: MemoryLimiterOptions = {}): MemoryLimiter {
  const { maxCounters, holdMs, maxHeld } = { ...DEFAULTS, ...options };
  const counters = createCounters(maxCounters, options.tracksChanges === true);
  const held = createHeld(holdMs, maxHeld);
  return {
    ask: (demands, nowMs) => {
      held.expire(nowMs);
      return denialOf(demands, demands.map(counters.find), nowMs) ?? { allowed: true };
    },
    reserve: (demands, nowMs) => {
      held.expire(nowMs);
      const current = demands.map((demand) => counters.current(demand, nowMs));
      const denial = denialOf(demands, current, nowMs);
      if (denial !== undefined) return denial;
      const reservation = new MemoryReservation(demands, { reservedIn: current, counters, onEnd: held.remove, nowMs });
      if (demands.some(isEstimated)) held.add(reservation, nowMs);
      return reservation;
    },
    learn: (demands, windows, nowMs) => {
      demands.forEach((demand, i) => {
        const state = windows[i];
        if (state !== undefined) counters.learn(demand, state, nowMs);
      });
    },
    hasChanges: counters.hasChanges,
    takeChanges: counters.takeChanges,
    close: async () => {
      counters.clear();
      held.clear();
    },
  };
}

/** `counters`: those of the demands; what an earlier window consumed does not matter. */
function denialOf(
  demands: readonly Demand[],
  counters: readonly (Counter | undefined)[],
  nowMs: number,
): Denial | undefined {
  let i = 0;
  for (const demand of demands) {
    const counter = counters[i++];
    const consumed = isCurrent(counter, nowMs) ? counter.consumed : 0;
    if (isAmount(demand.cost) && consumed + demand.cost <= demand.limit) continue;
    return { allowed: false, demand, remaining: leftOf(demand, consumed), retryAfterMs: endOf(demand, nowMs) - nowMs };
  }
  return undefined;
}

const leftOf = ({ limit }: Demand, consumed: number): number => Math.max(0, limit - consumed);

const isEstimated = ({ estimated }: Demand): boolean => estimated === true;

interface Place {
  /** The counters of the demands. */
  readonly reservedIn: readonly Counter[];
  readonly counters: Counters;
  onEnd(reservation: MemoryReservation): void;
  readonly nowMs: number;
}

class MemoryReservation implements Reservation {
  readonly allowed = true;
  readonly #demands: readonly Demand[];
  /** The counters that the demands were taken from. */
  readonly #reservedIn: readonly Counter[];
  readonly #counters: Counters;
  readonly #onEnd: Place['onEnd'];
  readonly #reservedAtMs: number;
  /** What each demand has in its counter; of demands that share one, a single demand has it all. */
  readonly #taken: number[];
  #ended = false;

  constructor(demands: readonly Demand[], { reservedIn, counters, onEnd, nowMs }: Place) {
    this.#demands = demands;
    this.#reservedIn = reservedIn;
    this.#counters = counters;
    this.#onEnd = onEnd;
    this.#reservedAtMs = nowMs;
    this.#taken = perCounter(demands.map(costOf), reservedIn);
    for (let i = 0; i < reservedIn.length; i += 1) this.#add(reservedIn[i], this.#taken[i] ?? 0);
  }

  get windows(): readonly WindowState[] {
    return this.#demands.map((demand, i) => ({
      remaining: leftOf(demand, this.#reservedIn[i]?.consumed ?? 0),
      resetMs: endOf(demand, this.#reservedAtMs) - this.#reservedAtMs,
    }));
  }

  settle(actualCosts: readonly number[], nowMs: number): void {
    if (!this.#end()) return;
    const used = this.#demands.map((demand, i) => {
      const actual = actualCosts[i];
      return demand.takes !== false && isCount(actual) ? actual : costOf(demand);
    });
    const actual = perCounter(used, this.#reservedIn);
    this.#demands.forEach((demand, i) => {
      const more = (actual[i] ?? 0) - (this.#taken[i] ?? 0);
      this.#add(more > 0 ? this.#counters.current(demand, nowMs) : this.#reservedIn[i], more);
    });
  }

  release(): void {
    if (this.#end()) this.#return(() => true);
  }

  /** Returns the estimates; what is settled later counts in full. */
  expire(): void {
    this.#return(isEstimated);
  }

  #return(which: (demand: Demand) => boolean): void {
    this.#demands.forEach((demand, i) => {
      if (!which(demand)) return;
      this.#add(this.#reservedIn[i], -(this.#taken[i] ?? 0));
      this.#taken[i] = 0;
    });
  }

  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#onEnd(this);
    return true;
  }

  #add(counter: Counter | undefined, units: number): void {
    if (counter !== undefined && units !== 0) this.#counters.add(counter, units);
  }
}

/** The costs by counter: the largest one stands at the first demand of its counter, 0 at the others. */
function perCounter(costs: number[], counters: readonly Counter[]): number[] {
  if (costs.length === 1) return costs;
  return costs.map((_cost, i) => {
    if (counters.indexOf(counters[i] as Counter) !== i) return 0; // a counter per cost
    return costs.reduce((most, cost, j) => (counters[j] === counters[i] ? Math.max(most, cost) : most), 0);
  });
}

/** What the demand takes. */
const costOf = ({ cost, takes }: Demand): number => (takes === false ? 0 : cost);

/** Reservations with estimates that are not settled, the oldest first. */
function createHeld(holdMs: number, maxHeld: number) {
  const expiries = new Map<MemoryReservation, number>();
  const remove = (reservation: MemoryReservation): void => void expiries.delete(reservation);
  return {
    add: (reservation: MemoryReservation, nowMs: number): void => {
      expiries.set(reservation, nowMs + holdMs);
      const [oldest] = expiries.keys();
      if (expiries.size > maxHeld && oldest !== undefined) remove(oldest);
    },
    remove,
    expire: (nowMs: number): void => {
      if (expiries.size === 0) return;
      for (const [reservation, expiresAtMs] of expiries) {
        if (expiresAtMs > nowMs) return;
        remove(reservation);
        reservation.expire();
      }
    },
    clear: (): void => expiries.clear(),
  };
}
