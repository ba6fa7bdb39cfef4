import { createListMemo } from './demand-list.ts';
import {
  type Change,
  type Demand,
  type Denial,
  isAmount,
  type LimitDecision,
  type Limiter,
  type Reservation,
  type WindowState,
} from './limiter.ts';
import { type Counter, type Counters, createCounters, isCurrent, MemoryList, restOf } from './memory-counters.ts';

export interface MemoryLimiterOptions {
  /** Counters that are kept; one that was not used lately is dropped, which starts a new window for it. */
  readonly maxCounters?: number;
  /** How long an estimate is held without `settle`, in ms; longer than any request should take. */
  readonly holdMs?: number;
  /** Unsettled estimates that can expire; of more than these the oldest count until their windows end. */
  readonly maxHeld?: number;
  /** Called after each change that `takeChanges` will return, which returns none without this. */
  onChange?(): void;
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
  const counters = createCounters(maxCounters, options.onChange);
  const held = createHeld(holdMs, maxHeld);
  const listOf = createListMemo((demands) => new MemoryList(demands));
  return {
    ask: (demands, nowMs) => {
      held.expire(nowMs);
      const list = listOf(demands);
      return denialOf(list, list.counters.map(counters.find), nowMs) ?? { allowed: true };
    },
    reserve: (demands, nowMs) => {
      held.expire(nowMs);
      const list = listOf(demands);
      const current = counters.ofList(list, nowMs);
      const denial = denialOf(list, current, nowMs);
      if (denial !== undefined) return denial;
      const reservation = new MemoryReservation(list, { reservedIn: current, counters, onEnd: held.remove, nowMs });
      if (list.hasEstimates) held.add(reservation, nowMs);
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

/** `counters`: those of the list; what an earlier window consumed does not matter. */
function denialOf(
  { demands, positions }: MemoryList,
  counters: readonly (Counter | undefined)[],
  nowMs: number,
): Denial | undefined {
  for (let i = 0; i < demands.length; i += 1) {
    const demand = demands[i] as Demand; // below the length
    const counter = counters[positions[i] ?? 0];
    const consumed = isCurrent(counter, nowMs) ? counter.consumed : 0;
    if (isAmount(demand.cost) && consumed + demand.cost <= demand.limit) continue;
    return { allowed: false, demand, remaining: leftOf(demand, consumed), retryAfterMs: restOf(demand, nowMs) };
  }
  return undefined;
}

const leftOf = ({ limit }: Demand, consumed: number): number => Math.max(0, limit - consumed);

interface Place {
  /** The counters of the list. */
  readonly reservedIn: readonly Counter[];
  readonly counters: Counters;
  onEnd(reservation: MemoryReservation): void;
  readonly nowMs: number;
}

class MemoryReservation implements Reservation {
  readonly allowed = true;
  readonly #list: MemoryList;
  readonly #place: Place;
  /** By counter. */
  #taken: readonly number[];
  #ended = false;

  constructor(list: MemoryList, place: Place) {
    this.#list = list;
    this.#place = place;
    this.#taken = list.costs;
    for (let i = 0; i < this.#taken.length; i += 1) this.#add(place.reservedIn[i], this.#taken[i] ?? 0);
  }

  /** As of now, while the reservation lasts. */
  get windows(): readonly WindowState[] {
    const { reservedIn, nowMs } = this.#place;
    const { demands, positions } = this.#list;
    return demands.map((demand, i) => ({
      remaining: leftOf(demand, reservedIn[positions[i] ?? 0]?.consumed ?? 0),
      resetMs: restOf(demand, nowMs),
    }));
  }

  settle(actualCosts: readonly number[], nowMs: number): void {
    if (!this.#end()) return;
    const used = this.#list.usedOf(actualCosts);
    const { reservedIn, counters } = this.#place;
    let current: readonly Counter[] | undefined;
    for (let i = 0; i < used.length; i += 1) {
      const more = (used[i] ?? 0) - (this.#taken[i] ?? 0);
      if (more > 0) current ??= counters.ofList(this.#list, nowMs);
      this.#add(more > 0 ? current?.[i] : reservedIn[i], more);
    }
  }

  release(): void {
    if (!this.#end()) return;
    for (let i = 0; i < this.#taken.length; i += 1) this.#add(this.#place.reservedIn[i], -(this.#taken[i] ?? 0));
  }

  /** Returns the estimates; what is settled later counts in full. */
  expire(): void {
    this.#taken = this.#taken.map((units, i) => {
      if (!this.#list.isEstimate[i]) return units;
      this.#add(this.#place.reservedIn[i], -units);
      return 0;
    });
  }

  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#place.onEnd(this);
    return true;
  }

  #add(counter: Counter | undefined, units: number): void {
    if (counter !== undefined && units !== 0) this.#place.counters.add(counter, units);
  }
}

/** Reservations with estimates that are not settled, the oldest first. */
function createHeld(holdMs: number, maxHeld: number) {
  const expiries = new Map<MemoryReservation, number>();
  const remove = (reservation: MemoryReservation): void => void expiries.delete(reservation);
  return {
    add: (reservation: MemoryReservation, nowMs: number): void => {
      expiries.set(reservation, nowMs + holdMs);
      if (expiries.size <= maxHeld) return;
      const [oldest] = expiries.keys();
      if (oldest !== undefined) remove(oldest);
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
