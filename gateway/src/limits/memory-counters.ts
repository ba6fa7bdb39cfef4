import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../lib/entry-bound.ts';
import { type Change, type CounterName, WINDOW_MS, type WindowState } from './limiter.ts';

/** One window of one counter. */
export interface Counter {
  readonly name: CounterName;
  /** Unix time in ms. */
  readonly start: number;
  consumed: number;
  /** Of what is consumed: counted elsewhere, or reported as a change. */
  known: number;
}

/** Counters of one process; the least used ones are dropped, which starts a new window for them. */
export interface Counters {
  find(name: CounterName): Counter | undefined;
  /** The counter of the current window, which begins empty. */
  current(name: CounterName, nowMs: number): Counter;
  add(counter: Counter, units: number): void;
  /** Goes on from what was counted elsewhere. */
  learn(name: CounterName & { readonly limit: number }, state: WindowState, nowMs: number): void;
  hasChanges(): boolean;
  /** What was added since the last call; nothing where changes are not tracked. */
  takeChanges(): readonly Change[];
  clear(): void;
}

export function createCounters(max: number, tracksChanges: boolean): Counters {
  const counters = new LRUCache<string, Counter>(atMostEntries(max));
  const changed = new Set<Counter>();
  const current = (name: CounterName, nowMs: number): Counter => {
    const key = keyOf(name);
    const known = counters.get(key);
    if (isCurrent(known, nowMs)) return known;
    const fresh = { name, start: startOf(name, nowMs), consumed: 0, known: 0 };
    counters.set(key, fresh);
    return fresh;
  };
  return {
    find: (name) => counters.get(keyOf(name)),
    current,
    add: (counter, units) => {
      counter.consumed += units;
      if (!tracksChanges) return;
      changed.add(counter);
      const [oldest] = changed;
      if (changed.size > max && oldest !== undefined) changed.delete(oldest);
    },
    learn: (name, { remaining }, nowMs) => {
      const counter = current(name, nowMs);
      if (changed.has(counter)) return; // what is counted here is not known there yet
      counter.consumed = name.limit - remaining;
      counter.known = counter.consumed;
    },
    hasChanges: () => changed.size > 0,
    takeChanges: () => {
      const changes: Change[] = [];
      for (const counter of changed) {
        const units = counter.consumed - counter.known;
        counter.known = counter.consumed;
        if (units !== 0) changes.push({ counter: counter.name, startMs: counter.start, units });
      }
      changed.clear();
      return changes;
    },
    clear: () => {
      counters.clear();
      changed.clear();
    },
  };
}

export const startOf = ({ window }: CounterName, nowMs: number): number => nowMs - (nowMs % WINDOW_MS[window]);

export const endOf = (name: CounterName, nowMs: number): number => startOf(name, nowMs) + WINDOW_MS[name.window];

/** Whether the counter is that of the current window. */
export const isCurrent = (counter: Counter | undefined, nowMs: number): counter is Counter =>
  counter !== undefined && nowMs >= counter.start && nowMs < counter.start + WINDOW_MS[counter.name.window];

const keyOf = ({ slot, subject, unit, window }: CounterName): string => `${slot}|${subject}|${unit}|${window}`;
