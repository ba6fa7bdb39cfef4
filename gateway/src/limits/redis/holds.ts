import type { RedisReservation } from './reservation.ts';

/** Open reservations of this process with estimates: renews their leases, and returns those that nobody settles. */
export interface Holds {
  add(reservation: RedisReservation): void;
  remove(reservation: RedisReservation): void;
  close(): void;
}

export interface HoldsOptions {
  readonly maxHeld: number;
  readonly leaseMs: number;
  /** Keys of one owner. */
  renew(keys: readonly string[], nowMs: number): Promise<void>;
  /** Called a few times per lease. */
  onTurn(): void;
}

/** Renewals per lease: one may fail. */
const TURNS = 3;
/** Counters renewed by one call. */
const MAX_KEYS = 500;

export function createHolds({ maxHeld, leaseMs, renew, onTurn }: HoldsOptions): Holds {
  /** The oldest first. */
  const held = new Set<RedisReservation>();

  const expire = (nowMs: number): void => {
    for (const reservation of held) {
      if (reservation.expiresAtMs > nowMs) return;
      held.delete(reservation);
      reservation.expire(nowMs);
    }
  };
  const renewAll = (nowMs: number): void => {
    const slots = new Map<string, Set<string>>();
    for (const { list } of new Set(Array.from(held, ({ lot }) => lot))) {
      const keys = slots.get(list.slot) ?? new Set();
      slots.set(list.slot, keys);
      list.keys.forEach((key, i) => {
        if (list.isEstimate[i]) keys.add(key);
      });
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
    add: (reservation) => {
      held.add(reservation);
      if (held.size <= maxHeld) return;
      const [oldest] = held;
      if (oldest !== undefined) held.delete(oldest);
    },
    remove: (reservation) => void held.delete(reservation),
    close: () => {
      clearInterval(timer);
      held.clear();
    },
  };
}
