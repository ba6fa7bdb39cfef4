/** The budgets of one process: what it holds of each, and when the store is asked and told. */
import { Account, type SyncContext } from './account.ts';
import type { BudgetStore, SyncReply } from './budget-store.ts';
import type { BudgetDenial, BudgetLimit, BudgetTotal, BudgetUsage, Charge, Spend } from './budgets.ts';
import { LedgerSpend, neededFor } from './ledger-spend.ts';

export interface LedgerOptions {
  readonly store: BudgetStore;
  /** While the store is away: `open` spends what is held and a share of what was left; `closed` what is held, until its lease ends. */
  readonly storeFailurePolicy: 'open' | 'closed';
  /** Unique for ever. */
  readonly holder: string;
  /** Where the sequence of its requests begins, for a holder that has asked before; default: 0. */
  readonly firstSequence?: number;
  /** Processes that share the budgets, for what one may spend of a budget that it could not ask the store about. */
  readonly processes: number;
  /** How long the store keeps the part of a process that it does not hear of, in ms. */
  readonly leaseMs: number;
  /** Budgets that are remembered; beyond it, those without anything untold are forgotten first. */
  readonly maxAccounts: number;
  /** Monotonic time in ms. */
  now(): number;
  /** `flushUrgent` should be called soon: others wait for what is returned. */
  onUrgent(): void;
  onChange(usage: BudgetUsage): void;
  /** For each answer and failure of the store. */
  onStore(isAvailable: boolean): void;
}

/** A store whose clock is far from ours is asked again with the right period; more often it is not reached in time. */
const MAX_ROUNDS = 4;
/** How long a budget is followed whose use others have told, in ms: they tell it every ten seconds. */
const FOLLOWED_MS = 30_000;
/** Between two questions for the total of a budget that is followed, in ms. */
const LEAST_GAP_MS = 1_000;
/** Of the oldest accounts, how many are looked at for one to forget. */
const FORGET_TRIES = 100;

type Room = 'enough' | 'ask' | 'exhausted' | 'unavailable';

export class Ledger {
  readonly #options: LedgerOptions;
  readonly #accounts = new Map<string, Account>();
  /** Of budgets that were not met yet. */
  readonly #seeds = new Map<string, BudgetTotal>();
  /** Slots whose counters could not be reached, each with an account to try again. */
  readonly #away = new Map<string, Account>();
  readonly #urgent = new Set<Account>();
  #batch = new Set<Account>();
  #batchDone: Promise<void> | undefined;
  #sequence: number;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#sequence = options.firstSequence ?? 0;
  }

  ask(budgets: readonly BudgetLimit[]): BudgetDenial | undefined {
    const nowMs = this.#options.now();
    for (const budget of budgets) {
      const account = this.#accounts.get(budget.id);
      if (account === undefined || account.budget.limit !== budget.limit) continue;
      if (account.available <= 0 && account.isEmpty(nowMs)) return denialOf(account, 'exhausted');
    }
    return undefined;
  }

  reserve(charges: readonly Charge[], nowMs: number): Spend | BudgetDenial | Promise<Spend | BudgetDenial> {
    const accounts = charges.map(({ budget }) => this.#accountOf(budget, nowMs));
    return this.#attempt(charges, accounts);
  }

  /** The store is asked at once where it has counted more than is known here, and then with every flush for a while. */
  follow(budget: BudgetLimit, total: number, unixMs: number): void {
    const account = this.#accountOf(budget, unixMs);
    const nowMs = this.#options.now();
    account.followedUntilMs = nowMs + FOLLOWED_MS;
    if (account.period !== undefined && (account.used === total || nowMs - account.heardMs < LEAST_GAP_MS)) return;
    if (account.syncing === undefined && !this.#away.has(budget.slot)) void this.#fetch(account, 0);
  }

  usage(): readonly BudgetUsage[] {
    const usages: BudgetUsage[] = [];
    for (const account of this.#accounts.values()) if (account.period !== undefined) usages.push(usageOf(account));
    return usages;
  }

  seed(totals: readonly BudgetTotal[]): void {
    for (const total of totals) {
      const account = this.#accounts.get(total.id);
      if (account !== undefined) account.takeSeed(total);
      else if (this.#seeds.size < this.#options.maxAccounts) this.#seeds.set(total.id, total);
    }
  }

  /** Tells everything that was not told yet, renews leases, and returns what nobody asked for since the last time. */
  flush(): Promise<void> {
    const due: Account[] = [];
    const nowMs = this.#options.now();
    for (const account of this.#accounts.values()) {
      if (account.syncing !== undefined || this.#batch.has(account)) continue;
      if (!account.isActive) account.returnUnused();
      account.isActive = false;
      if (account.isDue || account.followedUntilMs > nowMs) due.push(account);
    }
    this.#urgent.clear();
    return this.#sync(due, this.#options.leaseMs);
  }

  /** Returns what is not reserved of budgets that are nearly used up. */
  flushUrgent(): Promise<void> {
    const due = [...this.#urgent].filter((account) => account.syncing === undefined && !this.#batch.has(account));
    this.#urgent.clear();
    for (const account of due) account.returnUnused();
    return this.#sync(due, this.#options.leaseMs);
  }

  /** Tries stores again that were away; what was spent meanwhile is told as soon as one answers. */
  async retry(): Promise<void> {
    const before = this.#away.size;
    if (before === 0) return;
    await this.#sync([...this.#away.values()].filter(isIdle), this.#options.leaseMs);
    if (this.#away.size < before) await this.flush();
  }

  /** Tells everything and gives up all leases. */
  async close(): Promise<void> {
    await Promise.all([...this.#accounts.values()].map(({ syncing }) => syncing));
    await this.#sync([...this.#accounts.values()].filter(isDue), 0);
  }

  #accountOf(budget: BudgetLimit, unixMs: number): Account {
    const known = this.#accounts.get(budget.id);
    if (known !== undefined) {
      if (known.budget !== budget) known.update(budget);
      return known;
    }
    const nowMs = this.#options.now();
    const account = new Account(budget, nowMs, unixMs - nowMs);
    const seed = this.#seeds.get(budget.id);
    if (seed !== undefined) account.takeSeed(seed);
    this.#seeds.delete(budget.id);
    this.#forgetOne();
    this.#accounts.set(budget.id, account);
    return account;
  }

  #forgetOne(): void {
    if (this.#accounts.size < this.#options.maxAccounts) return;
    let tries = FORGET_TRIES;
    for (const [id, account] of this.#accounts) {
      if (account.isClean) this.#accounts.delete(id);
      if (account.isClean || --tries === 0) return;
    }
  }

  #attempt(
    charges: readonly Charge[],
    accounts: readonly Account[],
  ): Spend | BudgetDenial | Promise<Spend | BudgetDenial> {
    const nowMs = this.#options.now();
    let asked: Promise<unknown> | undefined;
    for (let i = 0; i < accounts.length; i += 1) {
      const account = accounts[i] as Account; // of the charge
      const amount = neededFor(charges[i] as Charge);
      const room = this.#roomIn(account, amount, nowMs);
      if (room === 'enough') continue;
      if (room !== 'ask') {
        if (asked === undefined) return denialOf(account, room);
        break; // an earlier one may have nothing left either
      }
      const answer = this.#fetch(account, amount);
      asked = asked === undefined ? answer : Promise.all([asked, answer]);
    }
    if (asked !== undefined) return asked.then(() => this.#attempt(charges, accounts));
    return this.#take(charges, accounts);
  }

  #take(charges: readonly Charge[], accounts: readonly Account[]): Spend {
    const spend = new LedgerSpend(charges, accounts, this.#onSettled);
    for (const account of accounts) if (this.#needsMore(account)) void this.#fetch(account, 1);
    return spend;
  }

  /** Soon a request would have to wait. */
  #needsMore(account: Account): boolean {
    if (account.available >= account.lowWater || account.syncing !== undefined) return false;
    return !this.#away.has(account.budget.slot) && !account.isEmpty(this.#options.now());
  }

  #roomIn(account: Account, amount: number, nowMs: number): Room {
    const isCurrent = account.isCurrent(nowMs);
    if (isCurrent && account.available >= amount) return 'enough';
    if (this.#away.has(account.budget.slot)) return this.#roomAlone(account, amount, nowMs);
    if (!account.isEmpty(nowMs)) return 'ask';
    return account.available > 0 ? 'enough' : 'exhausted';
  }

  /** While the store is away. */
  #roomAlone(account: Account, amount: number, nowMs: number): Room {
    const { storeFailurePolicy, processes } = this.#options;
    if (storeFailurePolicy === 'closed') {
      return account.available > 0 && account.isCurrent(nowMs) ? 'enough' : 'unavailable';
    }
    if (account.available < amount || !account.isInPeriod(nowMs)) account.takeAllowance(amount, nowMs, processes);
    return account.available > 0 ? 'enough' : 'exhausted';
  }

  /** Resolves when the store has answered; what is asked for in one turn of the event loop travels together. */
  #fetch(account: Account, amount: number): Promise<void> {
    if (account.syncing !== undefined) return account.syncing;
    account.wanted += amount;
    this.#batch.add(account);
    this.#batchDone ??= Promise.resolve().then(() => {
      const accounts = [...this.#batch];
      this.#batch = new Set();
      this.#batchDone = undefined;
      return this.#sync(accounts, this.#options.leaseMs);
    });
    return this.#batchDone;
  }

  async #sync(accounts: readonly Account[], leaseMs: number): Promise<void> {
    if (accounts.length === 0) return;
    const done = Promise.withResolvers<void>();
    for (const account of accounts) account.syncing = done.promise;
    let waiting = accounts;
    for (let round = 0; round < MAX_ROUNDS && waiting.length > 0; round += 1)
      waiting = await this.#exchange(waiting, leaseMs);
    for (const account of waiting) this.#onReply(account, { status: 'failed', isApplied: false });
    for (const account of accounts) account.syncing = undefined;
    done.resolve();
  }

  /** Resolves with the accounts to ask again. */
  async #exchange(accounts: readonly Account[], leaseMs: number): Promise<readonly Account[]> {
    const { store, holder, now } = this.#options;
    const nowMs = now();
    const requests = accounts.map((account) => {
      this.#sequence += 1;
      const context: SyncContext = { holder, sequence: this.#sequence, leaseMs, nowMs };
      return account.toRequest(context);
    });
    const replies = await store.sync(requests).catch((): readonly SyncReply[] => []); // unknown, as no reply is
    return accounts.filter((account, i) =>
      this.#onReply(account, replies[i] ?? { status: 'failed', isApplied: undefined }),
    );
  }

  /** Whether to ask again. */
  #onReply(account: Account, reply: SyncReply): boolean {
    const { now, onStore } = this.#options;
    if (reply.status === 'failed') {
      account.onFailure(reply.isApplied);
      this.#away.set(account.budget.slot, account);
      onStore(false);
      return false;
    }
    this.#away.delete(account.budget.slot);
    onStore(true);
    if (reply.status === 'done') {
      account.onDone(reply, now());
      this.#noteChange(account);
      return false;
    }
    if (reply.status === 'generation') account.onGeneration(reply.generation);
    else account.onClock(reply.nowMs, now());
    return true;
  }

  readonly #onSettled = (account: Account): void => {
    this.#noteChange(account);
    if (!account.isTight) return;
    this.#urgent.add(account);
    this.#options.onUrgent();
  };

  #noteChange(account: Account): void {
    const { isExhausted, isAlert } = account;
    if (account.wasExhausted === isExhausted && account.wasAlert === isAlert) return;
    account.wasExhausted = isExhausted;
    account.wasAlert = isAlert;
    this.#options.onChange(usageOf(account));
  }
}

const isDue = ({ isDue: due }: Account): boolean => due;
const isIdle = ({ syncing }: Account): boolean => syncing === undefined;

const denialOf = (
  { budget, period, isExhausted }: Account,
  reason: Exclude<BudgetDenial['reason'], 'reserved'>,
): BudgetDenial => ({
  allowed: false,
  budget,
  reason: reason === 'exhausted' && !isExhausted ? 'reserved' : reason,
  resetsAtMs: period?.endMs,
});

const usageOf = ({ budget, used, period, isExhausted, isAlert, generation }: Account): BudgetUsage => ({
  budget,
  used,
  periodStartMs: period?.startMs ?? 0,
  resetsAtMs: period?.endMs,
  exhausted: isExhausted,
  alert: isAlert,
  generation,
});
