/** Decides when statuses show what budgets have used: phase changes at once, the rest in steps and at a bounded rate. */
import type { Explanation } from '@gatehouse/crds/conditions';
import { type KindName, readUsage, type UsageRow } from '@gatehouse/crds/kinds';
import { type BudgetRow, byNearestEnd, type UsageTotal } from '@gatehouse/crds/usage';
import { type Placement, servesWorkspace } from '../publish/fleets/index.ts';
import { type Clock, type EventRecorder, type KubeObject, keyOf, sleep, systemClock } from '../runtime/index.ts';
import { type Counters, isOver, lostTotal, mergeRow, toTotal } from './counters.ts';
import { BUDGET_KINDS, budgetNames, isCountedApart, type ObjectSource, ownerOf, workspaceOf } from './owners.ts';
import { type Change, changeOf, describeRow, exhaustionOf, isRowOver, toTime, toUsageRows } from './usage-rows.ts';

export interface UsageTrackerOptions {
  readonly objects: ObjectSource & {
    /** All objects of a Kind. */
    all(kind: KindName): Iterable<KubeObject>;
  };
  readonly events: Pick<EventRecorder, 'record'>;
  /** The status of an object, as `Kind/namespace/name`, has to be written. */
  readonly onChange: (verdictKey: string) => void;
  /** A budget has reached its alert or its end, once per period; must not throw. */
  readonly onAlert: (alert: BudgetAlert) => void;
  readonly clock?: Clock;
}

export interface BudgetAlert {
  readonly kind: AlertKind;
  readonly object: KubeObject;
  readonly row: UsageRow;
}

export type AlertKind = 'alert' | 'exhausted';

export interface UsageTracker {
  /** Takes rows of a pod of a fleet; returns the totals that the pod's store has lost. */
  note(rows: readonly BudgetRow[], fleet: Placement): readonly UsageTotal[];
  /** What is known of the counters of the fleet's workspaces, the nearest to their ends first. */
  totals(fleet: Placement): readonly UsageTotal[];
  /** What pods have reported of the counters of an object, `Kind/namespace/name`, in their current periods. */
  countersOf(verdictKey: string): readonly BudgetRow[];
  /** The members of an object's status. */
  membersOf(object: KubeObject): Readonly<Record<string, unknown>>;
  exhaustionOf(object: KubeObject): Explanation | undefined;
  /** The object, as `Kind/namespace/name`, is gone. */
  forget(verdictKey: string): void;
  /** The alert was taken or given up. */
  settle(alert: BudgetAlert): void;
  /** How many objects have a budget with nothing left. */
  readonly exhausted: number;
  /** Shows changes until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** How often due changes are looked for, and the writes that one look may cause: 50 a second. */
const [TICK_MS, WRITES_PER_TICK] = [200, 10];
/** The use of an object is brought up to date at most this often, in ms. */
const STEP_MS = 60_000;
/** How long pods may take to report to a new leader, in ms. */
const SETTLING_MS = 10_000;
/** Totals that a starting pod is told. */
const MAX_TOTALS = 10_000;
/** An alert that a former leader has not sent is sent if it is younger, in ms. */
const LATE_ALERT_MS = 3_600_000;

interface Ledger {
  readonly kind: KindName;
  readonly key: string;
  readonly counters: Counters;
  /** As in the status. */
  shown: readonly UsageRow[];
  shownAtMs: number;
}

/** Remembers nothing but what pods report and statuses say. */
export function createUsageTracker(options: UsageTrackerOptions): UsageTracker {
  const tracker = new Tracker(options);
  return {
    note: (rows, fleet) => tracker.note(rows, fleet),
    totals: (fleet) => tracker.totals(fleet),
    countersOf: (key) => tracker.countersOf(key),
    membersOf: (object) => tracker.membersOf(object),
    exhaustionOf: (object) => tracker.exhaustionOf(object),
    forget: (key) => tracker.forget(key),
    settle: (alert) => tracker.settle(alert),
    get exhausted() {
      return tracker.exhausted;
    },
    run: (signal) => tracker.run(signal),
  };
}

class Tracker {
  readonly #options: UsageTrackerOptions;
  readonly #clock: Clock;
  /** By `Kind/namespace/name`. */
  readonly #ledgers = new Map<string, Ledger>();
  /** Ledgers that may have to be shown, and when to look at them, in monotonic ms. */
  readonly #due = new Map<string, number>();
  #settledAtMs = Number.POSITIVE_INFINITY;
  #isSettling = true;
  #nextResetMs = 0;

  constructor(options: UsageTrackerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  note(rows: readonly BudgetRow[], fleet: Placement): readonly UsageTotal[] {
    const nowMs = this.#clock.wallMs();
    return rows.flatMap((row) => {
      const workspace = workspaceOf(row);
      if (workspace === undefined || !servesWorkspace(fleet, workspace)) return [];
      const object = ownerOf(row, this.#options.objects);
      if (object === undefined) return [];
      const key = verdictKeyOf(object);
      const { counters } = this.#open(key, object);
      const lost = lostTotal(counters, row);
      if (mergeRow(counters, row, nowMs).changed) this.#due.set(key, 0);
      if (row.resetsAtMs !== undefined) this.#nextResetMs = Math.min(this.#nextResetMs, row.resetsAtMs);
      return lost ?? [];
    });
  }

  #open(key: string, object: KubeObject): Ledger {
    const known = this.#ledgers.get(key);
    if (known !== undefined) return known;
    const kind = object.kind as KindName; // found in the store of a Kind
    const shown = readUsage('status' in object ? object.status : undefined);
    const ledger = {
      kind,
      key: keyOf(object.metadata),
      counters: new Map(),
      shown,
      shownAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#ledgers.set(key, ledger);
    return ledger;
  }

  totals(fleet: Placement): readonly UsageTotal[] {
    const nowMs = this.#clock.wallMs();
    const rows = [...this.#ledgers.values()].flatMap(({ counters }) => [...counters.values()]);
    const known = rows.filter((row) => {
      const workspace = workspaceOf(row);
      return (
        row.used > 0 &&
        row.generation !== '' &&
        !isOver(row, nowMs) &&
        workspace !== undefined &&
        servesWorkspace(fleet, workspace)
      );
    });
    return known.sort(byNearestEnd).slice(0, MAX_TOTALS).map(toTotal);
  }

  countersOf(key: string): readonly BudgetRow[] {
    const nowMs = this.#clock.wallMs();
    return [...(this.#ledgers.get(key)?.counters.values() ?? [])].filter((row) => !isOver(row, nowMs));
  }

  membersOf(object: KubeObject): Readonly<Record<string, unknown>> {
    const usage = this.#shownOf(object);
    if (usage.length === 0) return {};
    return { usage, used: `${Math.max(...usage.map(({ usedPercent }) => usedPercent))}%` };
  }

  exhaustionOf(object: KubeObject): Explanation | undefined {
    return exhaustionOf(this.#shownOf(object));
  }

  /** What the status shows, without what has left the spec or is over. */
  #shownOf(object: KubeObject): readonly UsageRow[] {
    const ledger = this.#ledgers.get(verdictKeyOf(object));
    const shown = ledger?.shown ?? readUsage('status' in object ? object.status : undefined);
    if (shown.length === 0) return shown;
    const names = budgetNames(object);
    const nowMs = this.#clock.wallMs();
    return shown.filter((row) => names.has(row.name) && !isRowOver(row, nowMs));
  }

  forget(key: string): void {
    this.#ledgers.delete(key);
    this.#due.delete(key);
  }

  get exhausted(): number {
    let count = 0;
    for (const { shown } of this.#ledgers.values()) if (exhaustionOf(shown) !== undefined) count += 1;
    return count;
  }

  settle({ kind, object, row }: BudgetAlert): void {
    const key = verdictKeyOf(object);
    const ledger = this.#ledgers.get(key);
    if (ledger === undefined) return;
    const sent = { [SENT[kind]]: toTime(this.#clock.wallMs()) };
    ledger.shown = ledger.shown.map((shown) => (isSameBudget(shown, row) ? { ...shown, ...sent } : shown));
    this.#options.onChange(key);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#settledAtMs = this.#clock.monotonicMs() + SETTLING_MS;
    this.#resume();
    while (!signal.aborted) {
      await sleep(TICK_MS, { signal, clock: this.#clock }).catch(() => undefined);
      if (signal.aborted) return;
      this.#endPeriods();
      this.#endSettling();
      this.#showDue();
    }
  }

  /** Takes over what a former leader has shown. */
  #resume(): void {
    for (const kind of BUDGET_KINDS) {
      for (const object of this.#options.objects.all(kind)) {
        if (readUsage('status' in object ? object.status : undefined).length === 0) continue;
        const { shown } = this.#open(verdictKeyOf(object), object);
        for (const row of shown) this.#resumeAlerts(object, row);
      }
    }
  }

  #resumeAlerts(object: KubeObject, row: UsageRow): void {
    const nowMs = this.#clock.wallMs();
    for (const kind of ALERT_KINDS) {
      const at = row[REACHED[kind]];
      const isUnsent = at !== undefined && row[SENT[kind]] === undefined;
      if (isUnsent && nowMs - Date.parse(at) < LATE_ALERT_MS) this.#options.onAlert({ kind, object, row });
    }
  }

  /** Marks the ledgers with a period that has ended. */
  #endPeriods(): void {
    const nowMs = this.#clock.wallMs();
    if (this.#nextResetMs > nowMs) return;
    this.#nextResetMs = Number.POSITIVE_INFINITY;
    for (const [key, { counters, shown }] of this.#ledgers) {
      const ends = [...counters.values()].map(({ resetsAtMs = Number.POSITIVE_INFINITY }) => resetsAtMs);
      const shownEnds = shown.map(({ nextResetTime = '' }) => Date.parse(nextResetTime) || Number.POSITIVE_INFINITY);
      const next = Math.min(...ends, ...shownEnds);
      if (next <= nowMs) {
        for (const [id, row] of counters) if (isOver(row, nowMs)) counters.delete(id);
        this.#due.set(key, 0);
      } else this.#nextResetMs = Math.min(this.#nextResetMs, next);
    }
  }

  /** What pods have reported as less is shown from now on. */
  #endSettling(): void {
    if (this.#settledAtMs > this.#clock.monotonicMs()) return;
    this.#settledAtMs = Number.POSITIVE_INFINITY;
    this.#isSettling = false;
    for (const key of this.#ledgers.keys()) this.#due.set(key, 0);
  }

  /** Shows what is due, phase changes first. */
  #showDue(): void {
    const nowMs = this.#clock.monotonicMs();
    const found: Record<Exclude<Change, 'none'>, Due[]> = { phase: [], step: [] };
    for (const [key, dueMs] of this.#due) {
      if (dueMs > nowMs) continue;
      const due = this.#look(key);
      if (due === undefined || due.change === 'none') this.#due.delete(key);
      else if (due.change === 'step' && due.ledger.shownAtMs + STEP_MS > nowMs) {
        this.#due.set(key, due.ledger.shownAtMs + STEP_MS);
      } else found[due.change].push(due);
    }
    for (const due of [...found.phase, ...found.step].slice(0, WRITES_PER_TICK)) this.#show(due, nowMs);
  }

  #look(key: string): Due | undefined {
    const ledger = this.#ledgers.get(key);
    const object = ledger === undefined ? undefined : this.#options.objects.live(ledger.kind, ledger.key);
    if (ledger === undefined || object === undefined) {
      this.#ledgers.delete(key);
      return undefined;
    }
    const rows = toUsageRows({
      counters: ledger.counters,
      before: ledger.shown,
      names: budgetNames(object),
      apart: isCountedApart(object),
      settling: this.#isSettling,
      nowMs: this.#clock.wallMs(),
    });
    return { key, ledger, object, rows, change: changeOf(ledger.shown, rows) };
  }

  #show({ key, ledger, object, rows }: Due, nowMs: number): void {
    const before = ledger.shown;
    ledger.shown = rows;
    ledger.shownAtMs = nowMs;
    this.#due.delete(key);
    this.#options.onChange(key);
    for (const row of rows) {
      const last = before.find((one) => isSameBudget(one, row));
      for (const kind of ALERT_KINDS) {
        if (row[REACHED[kind]] === undefined || last?.[REACHED[kind]] !== undefined) continue;
        this.#options.events.record({ regarding: object, type: 'Warning', action: 'Count', ...EVENTS[kind](row) });
        this.#options.onAlert({ kind, object, row });
      }
    }
  }
}

interface Due {
  readonly key: string;
  readonly ledger: Ledger;
  readonly object: KubeObject;
  readonly rows: readonly UsageRow[];
  readonly change: Change;
}

const ALERT_KINDS: readonly AlertKind[] = ['alert', 'exhausted'];
const REACHED = { alert: 'alertTime', exhausted: 'exhaustedTime' } as const;
const SENT = { alert: 'alertSentTime', exhausted: 'exhaustedSentTime' } as const;

const EVENTS: Readonly<Record<AlertKind, (row: UsageRow) => { readonly reason: string; readonly note: string }>> = {
  alert: ({ name, used, limit }) => ({
    reason: 'AlertReached',
    note: `The budget ${name} has reached its alert threshold: ${used} of ${limit} are used`,
  }),
  exhausted: (row) => ({ reason: 'Exhausted', note: `Used up: ${describeRow(row)}` }),
};

/** The same budget in the same period. */
const isSameBudget = (a: UsageRow, b: UsageRow): boolean =>
  a.name === b.name && a.periodStartTime === b.periodStartTime;

const verdictKeyOf = ({ kind, metadata }: KubeObject): string => `${kind}/${keyOf(metadata)}`;
