/** Processes with budgets over one store, on a clock and a network that a test moves. */
import { setImmediate as turn } from 'node:timers/promises';
import type { BudgetStore, SyncReply, SyncRequest } from './budget-store.ts';
import { type BudgetLimit, MAX_AMOUNT, type Spend } from './budgets.ts';
import { type Counter, type Share, syncCounter } from './counter.ts';
import { Ledger } from './ledger.ts';
import { LedgerSpend } from './ledger-spend.ts';
import { periodAt } from './schedule.ts';

/**
 * What happens to requests of a process: `down` is known not to arrive, of `lost` and `deaf` (only the answer is lost) nobody
 * knows, `late` arrives after its sender gave up, `slow` is answered later.
 */
export type Link = 'up' | 'down' | 'lost' | 'deaf' | 'late' | 'slow';

export interface WorldOptions {
  readonly budget: BudgetLimit;
  readonly processes: number;
  readonly storeFailurePolicy: 'open' | 'closed';
}

export const LEASE_MS = 30_000;
/** Soon before a reset. */
const START_MS = Date.UTC(2026, 10, 23) - 300_000;

interface Open {
  readonly spend: Spend;
  readonly periodStartMs: number;
}

interface Process {
  readonly ledger: Ledger;
  readonly holder: string;
  readonly open: Open[];
  /** What it spent, by period. */
  readonly spent: Map<number, number>;
  link: Link;
  isAlive: boolean;
  /** It may take an allowance when the store is not reached. */
  hasContact: boolean;
  /** Wall clock less true time. */
  readonly skewMs: number;
}

export class World {
  readonly processes: Process[] = [];
  counters = new Map<string, Counter>();
  /** Overspend that the documentation allows, by period. */
  readonly allowed = new Map<number, number>();
  readonly #options: WorldOptions;
  #nowMs = 0;
  #storeSkewMs = 0;
  #started = 0;
  #queue: (() => void)[] = [];
  #backup: Map<string, Counter> | undefined;

  constructor(options: WorldOptions) {
    this.#options = options;
    for (let i = 0; i < options.processes; i += 1) this.start();
  }

  get storeNowMs(): number {
    return START_MS + this.#nowMs + this.#storeSkewMs;
  }

  get counter(): Counter | undefined {
    return this.counters.get(this.#options.budget.id);
  }

  start(skewMs = 0): void {
    const { storeFailurePolicy, processes } = this.#options;
    this.#started += 1;
    const holder = `p${this.#started}`;
    const ledger = new Ledger({
      store: this.#storeOf(() => process),
      storeFailurePolicy,
      holder,
      processes,
      leaseMs: LEASE_MS,
      maxAccounts: 10,
      now: () => this.#nowMs,
      onUrgent: () => undefined,
      onChange: () => undefined,
      onStore: () => undefined,
    });
    const process: Process = {
      ...{ ledger, holder, skewMs, open: [], spent: new Map(), link: 'up', isAlive: true, hasContact: true },
    };
    this.processes.push(process);
  }

  living(index: number): Process | undefined {
    const living = this.processes.filter(({ isAlive }) => isAlive);
    return living[index % Math.max(living.length, 1)];
  }

  async reserve(process: Process, estimate: number): Promise<void> {
    const { budget } = this.#options;
    const result = process.ledger.reserve([{ budget, estimate }], START_MS + this.#nowMs + process.skewMs);
    void Promise.resolve(result).then((spend) => {
      if (!spend.allowed) return;
      if (!process.isAlive) return spend.release();
      const [usage] = process.ledger.usage();
      process.open.push({ spend, periodStartMs: usage?.periodStartMs ?? -1 });
    });
    await turn();
  }

  /** `actual`: undefined when the request is released. */
  async settle(process: Process, index: number, actual: number | undefined): Promise<void> {
    const [open] = process.open.splice(index % Math.max(process.open.length, 1), 1);
    if (open === undefined) return;
    const { periodStartMs } = open;
    const [usage] = process.ledger.usage();
    if (actual !== undefined && usage?.periodStartMs === periodStartMs) {
      add(process.spent, periodStartMs, actual);
      add(this.allowed, periodStartMs, Math.max(actual - reservedOf(open.spend), 0));
    }
    if (actual === undefined) open.spend.release();
    else open.spend.settle([actual]);
    await turn();
  }

  advance(ms: number): void {
    const before = this.storeNowMs;
    this.#nowMs += ms;
    this.#countLapses(before);
  }

  async flush(process: Process): Promise<void> {
    void process.ledger.flush();
    await turn();
  }

  async flushUrgent(process: Process): Promise<void> {
    void process.ledger.flushUrgent();
    await turn();
  }

  async retry(process: Process): Promise<void> {
    void process.ledger.retry();
    await turn();
  }

  async deliver(): Promise<void> {
    for (const task of this.#queue.splice(0)) task();
    await turn();
  }

  /** Like SIGKILL. */
  crash(process: Process): void {
    process.isAlive = false;
    for (const { spend } of process.open.splice(0)) spend.release();
  }

  async end(process: Process): Promise<void> {
    while (process.open.length > 0) await this.settle(process, 0, 1);
    void process.ledger.close();
    await turn();
    process.isAlive = false;
  }

  /** The store's clock jumps. */
  skewStore(ms: number): void {
    const before = this.storeNowMs;
    this.#storeSkewMs += ms;
    this.#countLapses(before);
  }

  backUp(): void {
    this.#backup = structuredClone(this.counters);
  }

  /** The store loses its last writes, or everything: then also what they were kept in. */
  lose(everything: boolean): void {
    const { counter } = this;
    if (everything) this.#backup = new Map();
    if (this.#backup === undefined) return;
    if (counter !== undefined) {
      add(this.allowed, counter.periodStartMs, heldIn(counter) + this.spentIn(counter.periodStartMs));
    }
    this.counters = structuredClone(this.#backup);
    if (everything) this.#backup = undefined;
  }

  periods(): readonly number[] {
    return [...new Set(this.processes.flatMap(({ spent }) => [...spent.keys()]))];
  }

  /** In the period that the store counts. */
  spentInCurrent(): number {
    return this.counter === undefined ? 0 : this.spentIn(this.counter.periodStartMs);
  }

  get isInPeriodOfCounter(): boolean {
    const { startMs } = periodAt(this.#options.budget.schedule, this.storeNowMs);
    return this.counter !== undefined && this.counter.periodStartMs >= startMs;
  }

  reservedBy({ open }: Process): number {
    return open.reduce((sum, { spend }) => sum + reservedOf(spend), 0);
  }

  /** By all processes, in one period. */
  spentIn(periodStartMs: number): number {
    return this.processes.reduce((sum, { spent }) => sum + (spent.get(periodStartMs) ?? 0), 0);
  }

  /** Everything that is open ends, and every process reaches the store. */
  async settleDown(): Promise<void> {
    for (const process of this.processes) process.link = 'up';
    for (let i = 0; i < 3; i += 1) await this.deliver();
    for (const process of this.processes.filter(({ isAlive }) => isAlive)) {
      while (process.open.length > 0) await this.settle(process, 0, undefined);
    }
    for (let i = 0; i < 4; i += 1) {
      for (const process of this.processes.filter(({ isAlive }) => isAlive)) {
        await this.retry(process);
        await this.flush(process);
      }
    }
  }

  #countLapses(before: number): void {
    const { counter } = this;
    if (counter === undefined) return;
    for (const [name, share] of counter.shares) {
      const hasLapsed = share.leaseEndsMs > before && share.leaseEndsMs <= this.storeNowMs;
      if (hasLapsed) add(this.allowed, counter.periodStartMs, this.#lostWith(name, share, counter.periodStartMs));
    }
  }

  /** Of the part of a holder that others may have now: what it has spent and not told, what is open, and what it goes on spending. */
  #lostWith(name: string, { held, spent }: Share, periodStartMs: number): number {
    const process = this.processes.find(({ holder }) => name.startsWith(`${holder}.`));
    if (process === undefined || this.#options.storeFailurePolicy === 'open') return held;
    return Math.min(held, (process.spent.get(periodStartMs) ?? 0) - spent + this.reservedBy(process));
  }

  #storeOf(processOf: () => Process): BudgetStore {
    const apply = (requests: readonly SyncRequest[]): SyncReply[] =>
      requests.map((request) => syncCounter(this.counters, request, this.storeNowMs));
    const unknown = (requests: readonly SyncRequest[]): SyncReply[] =>
      requests.map(() => ({ status: 'failed', isApplied: undefined }));
    return {
      sync: async (requests) => {
        const process = processOf();
        if (!process.isAlive) return unknown(requests);
        const copies = structuredClone(requests);
        if (process.link === 'up' || process.link === 'slow') process.hasContact = true;
        else this.#countAllowance(process);
        switch (process.link) {
          case 'up':
            return apply(copies);
          case 'down':
            return requests.map(() => ({ status: 'failed', isApplied: false }));
          case 'lost':
            return unknown(requests);
          case 'deaf':
            apply(copies);
            return unknown(requests);
          case 'late':
            this.#queue.push(() => apply(copies));
            return unknown(requests);
          case 'slow':
            return new Promise((resolve) => this.#queue.push(() => resolve(apply(copies))));
        }
      },
      close: async () => undefined,
    };
  }

  /** What a process may grant itself until it reaches the store again. */
  #countAllowance(process: Process): void {
    const { budget, storeFailurePolicy } = this.#options;
    if (!process.hasContact || storeFailurePolicy === 'closed') return;
    process.hasContact = false;
    for (let ms = 0; ms <= 3 * 86_400_000; ms += 86_400_000) {
      const { startMs } = periodAt(budget.schedule, START_MS + this.#nowMs + ms);
      add(this.allowed, startMs, budget.limit);
    }
  }
}

const add = (sums: Map<number, number>, key: number, amount: number): void => {
  sums.set(key, Math.min((sums.get(key) ?? 0) + amount, MAX_AMOUNT));
};

const reservedOf = (spend: Spend): number => (spend instanceof LedgerSpend ? (spend.reserved[0] ?? 0) : 0);

const heldIn = ({ shares }: Counter): number => [...shares.values()].reduce((sum, { held }) => sum + held, 0);
