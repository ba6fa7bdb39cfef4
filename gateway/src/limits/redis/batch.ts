/** What one call of the script COUNT does: equal requests in groups, and corrections of earlier ones. */
import { type Demand, type Denial, isAmount, type WindowState } from '../limiter.ts';
import type { Lot, RedisList, Settlement } from './lot.ts';

/** What the members of a group were granted. */
export class Grant {
  readonly allowed = true;
  readonly lot: Lot;
  readonly #states: () => readonly WindowState[];
  #windows: readonly WindowState[] | undefined;

  constructor(lot: Lot, states: () => readonly WindowState[]) {
    this.lot = lot;
    this.#states = states;
  }

  get windows(): readonly WindowState[] {
    this.#windows ??= this.#states();
    return this.#windows;
  }
}

export interface Waiter {
  readonly resolve: (result: Grant | Denial) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests that ask for the same. */
export interface Group {
  readonly list: RedisList;
  readonly takes: boolean;
  readonly waiters: Waiter[];
}

/** Those that were granted, and why the others were not. */
interface GroupResult {
  readonly group: Group;
  readonly granted: number;
  readonly grant: Grant;
  readonly denial: Denial | undefined;
}

export class Batch {
  /** Unix time in ms, for windows that follow the time of callers. */
  readonly nowMs: number;
  readonly groups: Group[] = [];
  readonly lots = new Set<Lot>();
  /** Resolves when it was answered or has failed. */
  readonly ended = Promise.withResolvers<void>();
  /** Demands and corrections, at most. */
  size = 0;
  readonly #taking = new Map<RedisList, Group>();
  readonly #asking = new Map<RedisList, Group>();

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  add(list: RedisList, takes: boolean, waiter: Waiter): void {
    const groups = takes ? this.#taking : this.#asking;
    let group = groups.get(list);
    if (group === undefined) {
      group = { list, takes, waiters: [] };
      groups.set(list, group);
      this.groups.push(group);
      this.size += list.demands.length;
    }
    group.waiters.push(waiter);
  }

  addLot(lot: Lot): void {
    if (this.lots.has(lot)) return;
    this.lots.add(lot);
    this.size += lot.list.keys.length;
  }
}

export interface Encoded {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  readonly corrections: readonly { readonly lot: Lot; readonly settlements: readonly Settlement[] }[];
}

/** `head`: the first arguments of the script, without the number of settlements. Takes the corrections of the lots. */
export function encode({ groups, lots }: Batch, head: readonly [string | number, string, number]): Encoded {
  const positions = new Map<string, number>();
  const sizes: number[] = [];
  const positionOf = (key: string, sizeMs: number): number => {
    const known = positions.get(key);
    if (known !== undefined) return known;
    positions.set(key, positions.size + 1);
    sizes.push(sizeMs);
    return positions.size;
  };
  const corrections = Array.from(lots, (lot) => ({ lot, settlements: lot.takeSettlements() }));
  const rest: (string | number)[] = [];
  let settlementCount = 0;
  for (const { lot, settlements } of corrections) {
    settlementCount += settlements.length;
    for (const { at, startMs, lease, taken, used, over } of settlements) {
      rest.push(positionOf(lot.list.keys[at] ?? '', lot.list.sizes[at] ?? 0), startMs, lease, taken, used, over);
    }
  }
  for (const { list, takes, waiters } of groups) {
    const own = list.keys.map((key, i) => positionOf(key, list.sizes[i] ?? 0));
    rest.push(waiters.length, list.demands.length);
    for (let i = 0; i < list.demands.length; i += 1) {
      const demand = list.demands[i] as Demand; // below the length
      rest.push(own[list.positions[i] ?? 0] ?? 0, demand.limit, costOf(demand), takes ? modeOf(demand) : ROOM_ONLY);
    }
  }
  return { keys: [...positions.keys()], args: [...head, settlementCount, ...sizes, ...rest], corrections };
}

const ROOM_ONLY = 0;
const COST = 1;
const ESTIMATE = 2;

/** What is no amount finds room nowhere. */
const costOf = ({ cost }: Demand): number | string => (isAmount(cost) ? cost : 'inf');

const modeOf = ({ takes, estimated }: Demand): number => {
  if (takes === false) return ROOM_ONLY;
  return estimated === true ? ESTIMATE : COST;
};

/** The values of one counter in a reply: start, units, lease. */
const COUNTER_VALUES = 3;
const GROUP_VALUES = 2;

/** Reads the reply to the groups of a batch. */
export function decode({ groups }: Batch, { keys }: Encoded, reply: unknown): readonly GroupResult[] {
  const values = Array.isArray(reply) ? reply.map(Number) : [];
  const [nowMs = 0] = values;
  const at = new Map(keys.map((key, i) => [key, 1 + i * COUNTER_VALUES]));
  return groups.map((group, i) => {
    const { list } = group;
    const places = list.keys.map((key) => at.get(key) ?? 0);
    const startsMs = places.map((place) => values[place] ?? 0);
    const counts = places.map((place) => values[place + 1] ?? 0);
    const leases = places.map((place, j) => (list.isEstimate[j] ? (values[place + 2] ?? 0) : 0));
    const result = 1 + keys.length * COUNTER_VALUES + i * GROUP_VALUES;
    const denied = list.demands[(values[result + 1] ?? 0) - 1];
    const states = (): readonly WindowState[] => list.windowsOf(startsMs, counts, nowMs);
    return {
      group,
      granted: values[result] ?? 0,
      grant: new Grant(list.lotOf(startsMs, leases), states),
      denial: denied && denialOf(denied, states()[list.demands.indexOf(denied)]),
    };
  });
}

const denialOf = (demand: Demand, { remaining, resetMs }: WindowState = { remaining: 0, resetMs: 1 }): Denial => ({
  ...{ allowed: false, demand, remaining },
  retryAfterMs: Math.max(1, resetMs),
});

/** Gives each waiter what it got: those that came first were granted. */
export function answer({ group, granted, grant, denial }: GroupResult): void {
  group.waiters.forEach(({ resolve, reject }, i) => {
    if (i < granted) resolve(grant);
    else if (denial !== undefined) resolve(denial);
    else reject(new Error('the script of limits gave no answer'));
  });
}
