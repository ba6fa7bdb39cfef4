import {
  type CounterName,
  createMemoryLimiter,
  type Demand,
  DemandList,
  type Denial,
  type LimitDecision,
  type Reservation,
  type SharedCounters,
  type WindowState,
} from '../limits/index.ts';
import { StoreUnavailable } from '../store/index.ts';
import type { Calls } from './calls.ts';
import { type Credits, createCredits } from './credits.ts';
import { MAX_ITEMS, MAX_UNITS, type WireAddition, type WireAskReply, type WireDemand } from './protocol.ts';

export interface SharedCounterOptions {
  readonly calls: Pick<Calls, 'ask' | 'add' | 'probe'>;
  /** Without a fleet this process counts alone. */
  hasFleet(): boolean;
}

/**
 * Counters of the fleet. Nothing is ever taken from them: units that a request gives back are kept here for the next one, and tokens are
 * counted when they have been used.
 */
export function createSharedCounters({ calls, hasFleet }: SharedCounterOptions): SharedCounters {
  const alone = createMemoryLimiter();
  const credits = createCredits();
  const underWay = new Set<Promise<void>>();
  const add = (additions: readonly WireAddition[]): Promise<void> => {
    const added = calls
      .add(additions)
      .catch(() => undefined) // calls tell their failures
      .finally(() => underWay.delete(added));
    underWay.add(added);
    return added;
  };
  const granted = (taken: Taken, reply: Granted, nowMs: number): Reservation | Denial => {
    const unknown = taken.list.demands.filter((_, i) => reply.windows[i] === null);
    const here = unknown.length === 0 ? undefined : alone.reserve(unknown, nowMs);
    const reservation = new FleetReservation({
      taken,
      reply,
      credits,
      nowMs,
      add,
      here: here?.allowed ? here : undefined,
    });
    if (here === undefined || here.allowed) return reservation;
    void reservation.release(); // never rejects
    return here;
  };
  return {
    ask: async (demands, nowMs): Promise<LimitDecision> => {
      if (!hasFleet()) return alone.ask(demands, nowMs);
      const reply = await calls.ask({ demands: demands.map((demand) => toWire(demand, 0)) });
      if (reply.status === 'granted') {
        const unknown = demands.filter((_, i) => reply.windows[i] === null);
        return unknown.length === 0 ? { allowed: true } : alone.ask(unknown, nowMs);
      }
      return denialOf(demands, reply);
    },
    reserve: async (demands, nowMs) => {
      if (!hasFleet()) return alone.reserve(demands, nowMs);
      const taken = new Taken(demands, credits, nowMs);
      let reply: WireAskReply | undefined;
      try {
        reply = await calls.ask({ demands: taken.wire });
      } finally {
        if (reply?.status !== 'granted') taken.giveBack();
      }
      return reply.status === 'granted' ? granted(taken, reply, nowMs) : denialOf(demands, reply);
    },
    add: async (_slot, id, changes) => {
      const additions = changes
        .filter(({ units }) => units > 0)
        .map(({ counter, units }, at) => ({ ...toAddition(counter, units), id: `${id}:${at}` }));
      for (let at = 0; at < additions.length; at += MAX_ITEMS) await calls.add(additions.slice(at, at + MAX_ITEMS));
      if (additions.length === 0 && hasFleet()) await calls.probe();
    },
    // Connections come and go with calls: those say whether the fleet answers.
    watch: () => () => undefined,
    close: async () => {
      await Promise.all(underWay); // the last answers have used tokens, too
      await alone.close();
    },
  };
}

type Granted = Extract<WireAskReply, { status: 'granted' }>;

function denialOf(demands: readonly Demand[], reply: Exclude<WireAskReply, Granted>): Denial {
  const demand = reply.status === 'denied' ? demands[reply.at] : undefined;
  if (reply.status === 'failed' || demand === undefined) throw new StoreUnavailable('failed');
  const { remaining, retryAfterMs } = reply;
  return { allowed: false, demand, remaining, retryAfterMs };
}

const keyOf = ({ subject, slot, unit, window }: CounterName): string => `${unit} ${window} ${slot} ${subject}`;

function toWire({ subject, unit, window, cost }: Demand, take: number): WireDemand {
  return { subject, unit, window, room: Math.min(cost, MAX_UNITS), take };
}

const toAddition = ({ subject, unit, window }: CounterName, units: number): WireAddition => ({
  ...{ subject, unit, window },
  units: Math.min(units, MAX_UNITS),
});

/** What one request takes of the fleet's counters. An estimate is room, and one unit. */
class Taken {
  readonly list: DemandList;
  readonly wire: WireDemand[];
  /** By counter: units that the fleet or a credit has counted. */
  readonly units: readonly number[];
  readonly #credits: Credits;
  readonly #nowMs: number;
  /** By counter: whether they were a credit. */
  readonly #isCredit: readonly boolean[];

  constructor(demands: readonly Demand[], credits: Credits, nowMs: number) {
    const list = new DemandList(demands, keyOf);
    this.list = list;
    this.#credits = credits;
    this.#nowMs = nowMs;
    this.units = list.costs.map((cost, at) => (list.isEstimate[at] ? Math.min(cost, 1) : Math.min(cost, MAX_UNITS)));
    this.#isCredit = this.units.map((units, at) => credits.take(list.counters[at] as Demand, units, nowMs)); // of the counter
    this.wire = demands.map((demand, i) => {
      const at = list.positions[i] ?? 0;
      const takes = demand.takes !== false && !this.#isCredit[at];
      return toWire(demand, takes ? Math.min(this.units[at] ?? 0, demand.cost) : 0);
    });
  }

  /** Nothing was granted. */
  giveBack(): void {
    this.#isCredit.forEach((isCredit, at) => {
      if (isCredit) this.#credits.give(this.list.counters[at] as Demand, this.units[at] ?? 0, this.#nowMs); // of the counter
    });
  }
}

interface Parts {
  readonly taken: Taken;
  readonly reply: Granted;
  readonly credits: Credits;
  readonly nowMs: number;
  add(additions: readonly WireAddition[]): Promise<void>;
  /** Of the demands that the fleet does not know. */
  readonly here: Reservation | undefined;
}

class FleetReservation implements Reservation {
  readonly allowed = true;
  readonly #parts: Parts;
  #ended = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get windows(): readonly WindowState[] {
    const { reply, here } = this.#parts;
    let at = 0;
    return reply.windows.map((window) => {
      if (window !== null) return window;
      at += 1;
      return here?.windows[at - 1] ?? { remaining: 0, resetMs: 0 };
    });
  }

  settle(actualCosts: readonly number[], nowMs: number): Promise<void> | undefined {
    const { taken, reply, here } = this.#parts;
    void here?.settle(
      actualCosts.filter((_, i) => reply.windows[i] === null),
      nowMs,
    );
    return this.#end(taken.list.usedOf(actualCosts));
  }

  release(): Promise<void> | undefined {
    void this.#parts.here?.release();
    return this.#end([]);
  }

  #end(used: readonly number[]): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#ended = true;
    const { taken, reply, credits, add } = this.#parts;
    const additions: WireAddition[] = [];
    taken.list.counters.forEach((counter, at) => {
      if (reply.windows[taken.list.positions.indexOf(at)] === null) return; // counted here
      const more = (used[at] ?? 0) - (taken.units[at] ?? 0);
      if (more < 0) credits.give(counter, -more, this.#parts.nowMs);
      else if (more > 0) additions.push(toAddition(counter, more));
    });
    return additions.length === 0 ? undefined : add(additions);
  }
}
