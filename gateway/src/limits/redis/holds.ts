import type { Settlement } from './calls.ts';
import { keyOf } from './counters.ts';

/** What one counter has of a reservation. */
export type Taken = Omit<Settlement, 'used'>;

/** Ends a reservation; `usedOf` gives what was used of each counter. Further calls do nothing. */
export type End = (usedOf: (index: number, taken: number) => number, nowMs: number) => Promise<void> | undefined;

/** Open reservations of this process: renews the leases of their estimates, and returns those that nobody settles. */
export interface Holds {
  open(taken: readonly Taken[], nowMs: number): End;
  close(): void;
}

export interface HoldsOptions {
  readonly holdMs: number;
  readonly maxHeld: number;
  readonly leaseMs: number;
  renew(keys: readonly string[], nowMs: number): Promise<void>;
  /** Never rejects. */
  settle(settlements: readonly Settlement[], nowMs: number): Promise<void>;
  /** Called a few times per lease. */
  onTurn(): void;
}

interface Held {
  taken: readonly Taken[];
  readonly expiresAtMs: number;
}

/** Renewals per lease: one may fail. */
const TURNS = 3;
/** Counters renewed by one call. */
const MAX_KEYS = 500;

const isEstimate = ({ lease }: Taken): boolean => lease > 0;

export function createHolds(options: HoldsOptions): Holds {
  const { holdMs, maxHeld, leaseMs, renew, settle, onTurn } = options;
  /** The oldest first. */
  const held = new Set<Held>();

  const hold = (item: Held): void => {
    held.add(item);
    const [oldest] = held;
    if (held.size > maxHeld && oldest !== undefined) held.delete(oldest);
  };
  const expire = (nowMs: number): void => {
    for (const item of held) {
      if (item.expiresAtMs > nowMs) return;
      held.delete(item);
      const { taken } = item;
      item.taken = taken.map((part) => (isEstimate(part) ? { ...part, lease: 0, taken: 0 } : part));
      void settle(
        taken.filter(isEstimate).map((part) => ({ ...part, used: 0 })),
        nowMs,
      );
    }
  };
  const renewAll = (nowMs: number): void => {
    const slots = new Map<string, Set<string>>();
    for (const { taken } of held) {
      for (const { counter } of taken.filter(isEstimate)) {
        const keys = slots.get(counter.slot) ?? new Set();
        slots.set(counter.slot, keys.add(keyOf(counter)));
      }
    }
    for (const keys of slots.values()) {
      const all = [...keys];
      for (let at = 0; at < all.length; at += MAX_KEYS) void renew(all.slice(at, at + MAX_KEYS), nowMs);
    }
  };
  const timer = setInterval(() => {
    const nowMs = Date.now();
    expire(nowMs);
    renewAll(nowMs);
    onTurn();
  }, leaseMs / TURNS);
  timer.unref();

  return {
    open: (taken, nowMs) => {
      const item: Held = { taken, expiresAtMs: nowMs + holdMs };
      if (taken.some(isEstimate)) hold(item);
      let ended = false;
      return (usedOf, atMs) => {
        if (ended) return undefined;
        ended = true;
        held.delete(item);
        const settlements: Settlement[] = [];
        item.taken.forEach((part, i) => {
          const used = usedOf(i, taken[i]?.taken ?? 0);
          if (isEstimate(part) || used !== part.taken) settlements.push({ ...part, used });
        });
        return settlements.length === 0 ? undefined : settle(settlements, atMs);
      };
    },
    close: () => {
      clearInterval(timer);
      held.clear();
    },
  };
}
