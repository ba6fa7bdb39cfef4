import { DemandList } from './demand-list.ts';
import { type Change, type CounterName, type Demand, WINDOW_MS, type WindowState } from './limiter.ts';

/** One window of one counter. */
export interface Counter {
  readonly name: CounterName;
  /** Unix time in ms. */
  readonly startMs: number;
  readonly endMs: number;
  consumed: number;
  /** Of what is consumed: counted elsewhere, or reported as a change. */
  known: number;
  /** Since the search for a counter to forget came by. */
  isUsed: boolean;
  /** Dropped to make room: no longer the counter of its name. */
  isForgotten: boolean;
}

/** Counters of one process; of those that were not used lately one is dropped, which starts a new window for it. */
export interface Counters {
  /** Undefined: nothing is counted. */
  find(name: CounterName): Counter | undefined;
  /** The counter of the current window, which begins empty. */
  current(name: CounterName, nowMs: number): Counter;
  /** The counters of the list in their current windows. */
  ofList(list: MemoryList, nowMs: number): readonly Counter[];
  add(counter: Counter, units: number): void;
  /** Goes on from what was counted elsewhere. */
  learn(name: CounterName & { readonly limit: number }, state: WindowState, nowMs: number): void;
  hasChanges(): boolean;
  /** What was added since the last call; nothing where changes are not tracked. */
  takeChanges(): readonly Change[];
  clear(): void;
}

/** Demands, and the counters that they were last counted in. */
export class MemoryList extends DemandList {
  last: readonly Counter[] | undefined;

  constructor(demands: readonly Demand[]) {
    super(demands, keyOf);
  }
}

/** `onChange`: called after each addition; without it changes are not tracked. */
export function createCounters(max: number, onChange?: () => void): Counters {
  const counters = new Map<string, Counter>();
  const changed = new Set<Counter>();
  /** The first one that was not used since the last search; each is passed over once. */
  const forgetOne = (): void => {
    for (const [key, counter] of counters) {
      counters.delete(key);
      if (!counter.isUsed) {
        counter.isForgotten = true;
        return;
      }
      counter.isUsed = false;
      counters.set(key, counter); // behind all others
    }
  };
  const current = (name: CounterName, nowMs: number): Counter => {
    const key = keyOf(name);
    const known = counters.get(key);
    if (isCurrent(known, nowMs)) {
      known.isUsed = true;
      return known;
    }
    if (known === undefined && counters.size >= max) forgetOne();
    const fresh = newCounter(name, nowMs);
    counters.set(key, fresh);
    return fresh;
  };
  return {
    find: (name) => counters.get(keyOf(name)),
    current,
    ofList: (list, nowMs) => {
      if (list.last === undefined || !areStill(list.last, nowMs)) {
        list.last = list.counters.map((name) => current(name, nowMs));
      }
      return list.last;
    },
    add: (counter, units) => {
      counter.consumed += units;
      if (onChange === undefined) return;
      changed.add(counter);
      const [oldest] = changed;
      if (changed.size > max && oldest !== undefined) changed.delete(oldest);
      onChange();
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
        if (units !== 0) changes.push({ counter: counter.name, startMs: counter.startMs, units });
      }
      changed.clear();
      return changes;
    },
    clear: () => {
      for (const counter of counters.values()) counter.isForgotten = true;
      counters.clear();
      changed.clear();
    },
  };
}

function newCounter(name: CounterName, nowMs: number): Counter {
  const size = WINDOW_MS[name.window];
  const startMs = nowMs - (nowMs % size);
  const { subject, slot, unit, window } = name;
  const own = { subject, slot, unit, window };
  return { name: own, startMs, endMs: startMs + size, consumed: 0, known: 0, isUsed: true, isForgotten: false };
}

/** Until the window of the demand ends. */
export const restOf = ({ window }: CounterName, nowMs: number): number =>
  WINDOW_MS[window] - (nowMs % WINDOW_MS[window]);

/** Whether the counter is that of the current window. */
export const isCurrent = (counter: Counter | undefined, nowMs: number): counter is Counter =>
  counter !== undefined && nowMs >= counter.startMs && nowMs < counter.endMs;

/** Whether the counters, used again now, are those of their names. */
function areStill(counters: readonly Counter[], nowMs: number): boolean {
  for (const counter of counters) {
    if (counter.isForgotten || nowMs < counter.startMs || nowMs >= counter.endMs) return false;
    counter.isUsed = true;
  }
  return true;
}

const keyOf = ({ slot, subject, unit, window }: CounterName): string => `${slot}|${subject}|${unit}|${window}`;
