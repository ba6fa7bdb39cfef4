/**
 * Slots of keys, taken from the parent a few at a time: a request enters and leaves without a call while its worker has a slot to
 * spare. A key may be refused while other workers have slots to spare, 2 % of its bound at most; with a bound that
 * is small, none is spare.
 */
import { createConcurrency, createStoreBreaker, type Leave, type SharedState } from '@gatehouse/gateway';
import type { Calls } from './calls.ts';

/** Of the bound of a key: what all workers together may hold without need. */
const SPARE_SHARE = 0.02;
/** Slots that no request has used for so long go back to the parent, in ms. */
const IDLE_MS = 1_000;

interface Slots {
  /** Held from the parent. */
  held: number;
  inUse: number;
  /** The most in use since they were looked at last. */
  peak: number;
}

export interface SlotOptions {
  /** Requests of one key at the same time; 0: any number. */
  readonly maxConcurrentPerKey: number;
  readonly processes: number;
}

export function createSlots(
  { call, notify }: Calls,
  { maxConcurrentPerKey: max, processes }: SlotOptions,
): SharedState['concurrency'] {
  const alone = createConcurrency(max);
  if (max === 0) return alone;
  const spare = Math.floor((max * SPARE_SHARE) / processes);
  const breaker = createStoreBreaker({ onError: () => undefined });
  const subjects = new Map<string, Slots>();
  let scheduled = false;

  const giveBack = (subject: string, slots: Slots, count: number): void => {
    slots.held -= count;
    if (slots.held === 0) subjects.delete(subject);
    if (count > 0) notify('leave', subject, count);
  };
  const trim = (subject: string, slots: Slots): void => {
    const surplus = slots.held - slots.inUse - spare;
    if (surplus > 0) giveBack(subject, slots, surplus);
  };
  const use = (subject: string, slots: Slots): Leave => {
    slots.inUse += 1;
    slots.peak = Math.max(slots.peak, slots.inUse);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      slots.inUse -= 1;
      trim(subject, slots);
    };
  };
  const take = (subject: string, count: number): Leave => {
    const slots = subjects.get(subject) ?? { held: 0, inUse: 0, peak: 0 };
    slots.held += count;
    subjects.set(subject, slots);
    schedule();
    const leave = use(subject, slots);
    trim(subject, slots);
    return leave;
  };
  const ask = async (subject: string): Promise<Leave | undefined> => {
    const options = { onLate: (count: number) => notify('leave', subject, count) };
    const entered = await breaker.attempt(() => call('enter', [subject, 1 + spare], options).value);
    if (!entered.ok) return alone.enter(subject);
    return entered.value === 0 ? undefined : take(subject, entered.value);
  };
  const giveBackIdle = (): void => {
    for (const [subject, slots] of subjects) {
      giveBack(subject, slots, slots.held - slots.peak);
      slots.peak = slots.inUse;
    }
    scheduled = false;
    schedule();
  };
  const schedule = (): void => {
    if (scheduled || subjects.size === 0) return;
    scheduled = true;
    setTimeout(giveBackIdle, IDLE_MS).unref();
  };

  return {
    enter: (subject) => {
      const slots = subjects.get(subject);
      return slots !== undefined && slots.inUse < slots.held ? use(subject, slots) : ask(subject);
    },
  };
}
