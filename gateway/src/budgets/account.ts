/** What one process knows of one budget, and the part of it that it may spend without asking. */
import type { Seed, SyncDone, SyncRequest } from './budget-store.ts';
import { type BudgetLimit, type BudgetTotal, MAX_AMOUNT } from './budgets.ts';
import { FORGET_AFTER_MS } from './counter.ts';
import { isSameSchedule, type Period, periodAt } from './schedule.ts';

/** A holder that has not reached the store for so long begins anew, in ms: the store may soon forget it. */
const GIVE_UP_AFTER_MS = FORGET_AFTER_MS / 2;
/** Of the lease, the share in which a process relies on it: clocks run at slightly different speeds. */
const RELIED_SHARE = 0.9;
/** Less than this part of the limit is held by nobody: what is not needed goes back at once. */
const TIGHT_SHARE = 0.1;
/** Nothing was left: how soon the store is asked again, in ms, when others may return something, and when they hold nothing. */
const RETRY_MS = { othersHold: 100, nothingHeld: 10_000 } as const;

export interface SyncContext {
  /** Of the process. */
  readonly holder: string;
  readonly sequence: number;
  readonly leaseMs: number;
  /** Monotonic time in ms. */
  readonly nowMs: number;
}

export class Account {
  budget: BudgetLimit;
  /** Undefined before the first contact. */
  period: Period | undefined;
  /** Counts periods: what was reserved in an earlier one is not settled in a later one. */
  periodNumber = 0;
  /** What this holder spent in the period and generation. */
  spent = 0;
  /** Open reservations. */
  reserved = 0;
  /** What `spent` and `reserved` together may reach. */
  ceiling = 0;
  /** Estimates that wait for the store. */
  wanted = 0;
  /** Spent by all others, as of the last answer. */
  spentByOthers = 0;
  generation = '';
  /** Reserved from since the last regular sync. */
  isActive = true;
  /** Little is left to others: what is not needed goes back at once. */
  isTight = false;
  /** What was noted last, to tell changes. */
  wasExhausted = false;
  wasAlert = false;
  /** Others tell what they spend through this process: until then it asks for the total, monotonic time in ms. */
  followedUntilMs = Number.NEGATIVE_INFINITY;
  /** The sync that is under way. */
  syncing: Promise<void> | undefined;
  /** Below this a further part is fetched in advance. */
  lowWater = 0;

  /** Store time less monotonic time. */
  #clockOffsetMs: number;
  /** `spent` as the store has confirmed it. */
  #confirmed = 0;
  /** The total of requests whose fate nobody knows: repeated until one is answered, so that at most this is in doubt. */
  #inDoubt: number | undefined;
  /** What nobody held at the last answer. */
  #unheld: number | undefined;
  #holders: number | undefined;
  /** What is left of the share; undefined: untouched. */
  #allowance: number | undefined;
  #seed: Seed | undefined;
  #sent = { spent: 0, held: 0, more: 0, wanted: 0, nowMs: 0, leaseMs: 0 };
  /** What the store keeps for this holder. */
  #heldThere = 0;
  #leaseEndsMs = Number.NEGATIVE_INFINITY;
  #emptyUntilMs = Number.NEGATIVE_INFINITY;
  #lastAnswerMs: number;
  #holderNumber = 0;

  /** `clockOffsetMs`: Unix time less monotonic time. */
  constructor(budget: BudgetLimit, nowMs: number, clockOffsetMs: number) {
    this.budget = budget;
    this.#clockOffsetMs = clockOffsetMs;
    this.#lastAnswerMs = nowMs;
  }

  get used(): number {
    return Math.min(this.spentByOthers + this.spent, MAX_AMOUNT);
  }

  get available(): number {
    return this.ceiling - this.spent - this.reserved;
  }

  get isExhausted(): boolean {
    return this.used >= this.budget.limit;
  }

  get isAlert(): boolean {
    return this.used >= (this.budget.alertAt ?? Number.POSITIVE_INFINITY);
  }

  /** The store has to be told something, or its lease renewed. */
  get isDue(): boolean {
    return this.spent !== this.#confirmed || this.#heldThere > 0;
  }

  /** When the store has answered last, monotonic time in ms. */
  get heardMs(): number {
    return this.#lastAnswerMs;
  }

  /** Nothing of it would be lost with the account. */
  get isClean(): boolean {
    return !this.isDue && this.reserved === 0 && this.wanted === 0 && this.syncing === undefined;
  }

  /** The store has said that nothing more is left. */
  isEmpty(nowMs: number): boolean {
    return nowMs < this.#emptyUntilMs && this.isCurrent(nowMs);
  }

  /** Whether the period lasts and its part may be relied on. */
  isCurrent(nowMs: number): boolean {
    return nowMs < this.#leaseEndsMs && this.isInPeriod(nowMs);
  }

  isInPeriod(nowMs: number): boolean {
    if (this.period === undefined) return false;
    return nowMs + this.#clockOffsetMs < (this.period.endMs ?? Number.POSITIVE_INFINITY);
  }

  /** The resources have changed. */
  update(budget: BudgetLimit): void {
    const isSame = budget.limit === this.budget.limit && isSameSchedule(budget.schedule, this.budget.schedule);
    this.budget = budget;
    if (!isSame) this.#leaseEndsMs = Number.NEGATIVE_INFINITY; // the store is asked again
  }

  reserve(amount: number): void {
    this.reserved += amount;
    this.isActive = true;
  }

  settle(periodNumber: number, reserved: number, actual: number): void {
    if (periodNumber !== this.periodNumber) return;
    this.reserved -= reserved;
    this.spent = Math.min(this.spent + actual, MAX_AMOUNT);
    if (actual < reserved) this.#emptyUntilMs = Number.NEGATIVE_INFINITY; // the rest is there again, here or in the store
  }

  /** Keeps what is reserved only. */
  returnUnused(): void {
    this.ceiling = Math.min(this.ceiling, this.spent + this.reserved);
  }

  takeSeed({ generation, periodStartMs, used }: BudgetTotal): void {
    if (this.period !== undefined && periodStartMs !== this.period.startMs) return;
    if (this.#seed !== undefined && this.#seed.periodStartMs === periodStartMs && this.#seed.total >= used) return;
    this.#seed = { generation, periodStartMs, total: used };
  }

  toRequest({ holder, sequence, leaseMs, nowMs }: SyncContext): SyncRequest {
    if (nowMs - this.#lastAnswerMs > GIVE_UP_AFTER_MS) this.#beginAsNewHolder();
    const spent = this.#inDoubt ?? this.spent;
    const held = Math.max(this.ceiling - spent, 0);
    const { wanted } = this;
    const more = wanted === 0 ? 0 : Math.max(wanted - this.available, 1);
    this.wanted = 0;
    this.#sent = { spent, held, more, wanted, nowMs, leaseMs };
    const { id, slot, limit, schedule } = this.budget;
    return {
      ...{ id, slot, limit, leaseMs, sequence, spent, held, more },
      holder: `${holder}.${this.#holderNumber}`,
      period: periodAt(schedule, nowMs + this.#clockOffsetMs),
      spentIn: this.period?.startMs ?? -1,
      spare: more > 0,
      generation: this.generation,
      seed: this.#seedToSend(),
    };
  }

  /** Whether this is another period than before. */
  onDone(reply: SyncDone, nowMs: number): boolean {
    const { periodStartMs } = reply;
    const isReset = this.period !== undefined && this.period.startMs !== periodStartMs;
    if (isReset) this.#beginPeriod();
    this.#clockOffsetMs = reply.nowMs - nowMs;
    const { endMs } = periodAt(this.budget.schedule, reply.nowMs);
    this.period = { startMs: periodStartMs, endMs };
    const told = isReset ? 0 : this.#sent.spent;
    this.generation = reply.generation;
    this.#seed = undefined;
    this.#inDoubt = undefined;
    this.#allowance = undefined;
    this.#confirmed = told;
    this.ceiling = told + reply.held;
    this.spentByOthers = Math.max(reply.total - told, 0);
    this.#holders = reply.holders;
    this.#unheld = Math.max(this.budget.limit - reply.total - reply.heldByOthers - reply.held, 0);
    this.#lastAnswerMs = nowMs;
    this.#heldThere = reply.held;
    this.#noteGrant(reply, nowMs);
    return isReset;
  }

  onClock(storeNowMs: number, nowMs: number): void {
    this.#clockOffsetMs = storeNowMs - nowMs;
    this.wanted += this.#sent.wanted; // the estimates still wait
  }

  /** The store has lost its data. What it may have counted before is part of the totals that it is raised to. */
  onGeneration(generation: string): void {
    this.#beginAsNewHolder();
    this.#seed = undefined;
    this.generation = generation;
    this.wanted += this.#sent.wanted;
  }

  /** `isApplied`: undefined when nobody knows. */
  onFailure(isApplied: false | undefined): void {
    if (isApplied === undefined) this.#inDoubt = this.#sent.spent;
  }

  /**
   * Makes room for the amount without the store, as far as this process' share allows: of what nobody held, or of the budget when it
   * begins anew meanwhile. The share is for the time until the store answers. `processes`: where the store has not said how many.
   */
  takeAllowance(amount: number, nowMs: number, processes: number): void {
    if (!this.isInPeriod(nowMs)) {
      if (this.period !== undefined) this.#beginPeriod();
      this.period = periodAt(this.budget.schedule, nowMs + this.#clockOffsetMs);
      this.#unheld = undefined;
      this.#allowance = undefined;
    }
    this.#allowance ??= Math.floor((this.#unheld ?? this.budget.limit) / (this.#holders ?? processes));
    const taken = Math.min(this.#allowance, Math.max(amount - this.available, 0));
    this.#allowance -= taken;
    this.ceiling += taken;
  }

  #noteGrant(reply: SyncDone, nowMs: number): void {
    const { more, held, leaseMs, nowMs: sentMs } = this.#sent;
    this.#leaseEndsMs = sentMs + leaseMs * RELIED_SHARE;
    this.isTight = (this.#unheld ?? 0) < this.budget.limit * TIGHT_SHARE;
    if ((this.#unheld ?? 0) > 0) this.#emptyUntilMs = Number.NEGATIVE_INFINITY;
    if (more === 0) return;
    const granted = reply.held - held;
    this.lowWater = granted > more ? Math.floor((granted - more) / 2) : 0;
    if (granted >= more) return;
    this.#emptyUntilMs = nowMs + (reply.heldByOthers > 0 ? RETRY_MS.othersHold : RETRY_MS.nothingHeld);
  }

  #beginPeriod(): void {
    this.periodNumber += 1;
    this.spent = 0;
    this.reserved = 0;
    this.ceiling = 0;
    this.spentByOthers = 0;
    this.#confirmed = 0;
    this.#inDoubt = undefined;
    this.#emptyUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Its total begins at what was not told yet. */
  #beginAsNewHolder(): void {
    const told = Math.max(this.#confirmed, this.#inDoubt ?? 0);
    this.#holderNumber += 1;
    this.spent -= told;
    this.ceiling -= told;
    this.spentByOthers += told;
    this.#confirmed = 0;
    this.#inDoubt = undefined;
  }

  #seedToSend(): Seed | undefined {
    if (this.period === undefined || this.generation === '') return this.#seed;
    const known = this.spentByOthers + this.#confirmed;
    const { generation, period } = this;
    if (this.#seed !== undefined && this.#seed.periodStartMs === period.startMs && this.#seed.total > known)
      return this.#seed;
    return { generation, periodStartMs: period.startMs, total: known };
  }
}
