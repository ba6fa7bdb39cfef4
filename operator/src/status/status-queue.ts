/** Decides when the status of a translated object is computed, and passes it to the writer. */
import type { Explanation } from '@gatehouse/crds/conditions';
import type { KindName } from '@gatehouse/crds/kinds';
import type { Fleets, ProgrammedState } from '../publish/fleets/index.ts';
import {
  type Clock,
  conditionOf,
  type EventRecorder,
  type KubeObject,
  type Log,
  type StatusWriter,
  sleep,
  systemClock,
} from '../runtime/index.ts';
import { originKey, type Verdict } from '../translate/index.ts';
import type { Translated } from '../world/index.ts';
import { observedGeneration } from './conditions.ts';
import { createExpiries, type Expiries } from './expiries.ts';
import { createGuardrailUsers, type GuardrailUsers } from './guardrail-users.ts';
import { createStatusComputer, isServed } from './object-status.ts';

/** Kinds whose own controllers write their status. */
const SELF_REPORTING_KINDS: ReadonlySet<KindName> = new Set<KindName>(['GatewayFleet', 'SidecarProfile']);

export interface StatusPorts {
  readonly writer: Pick<StatusWriter, 'applyIfChanged'>;
  readonly events: Pick<EventRecorder, 'record'>;
  /** The object as it is in the cache now. */
  live(kind: KindName, key: string): KubeObject | undefined;
  /** Members of the status besides the conditions, for Kinds that have some. */
  extras(object: KubeObject): Readonly<Record<string, unknown>>;
  /** Which budgets of the object have nothing left; undefined: none. */
  exhaustion(object: KubeObject): Explanation | undefined;
}

export interface StatusQueueOptions {
  readonly ports: StatusPorts;
  readonly fleets: Pick<Fleets, 'programmedStateOf' | 'countedApart'>;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface StatusQueue {
  /** Adds new verdicts; the first time all of them. */
  update(translated: Translated): void;
  /** The object, or what its status depends on, has changed. */
  mark(verdictKey: string): void;
  /** The set of fleets has changed. */
  markAll(): void;
  /** What a fleet of these workspaces counts limits in has changed. */
  markWorkspaces(isConcerned: (workspace: string) => boolean): void;
  /** The pods of a fleet have made progress. */
  markPending(): void;
  /** The entries of some objects that a fleet does not serve have changed; see `originKey`. */
  markOrigins(origins: ReadonlySet<string>): void;
  /** Writes statuses until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

interface PendingObject {
  /** The translation that must be served. */
  readonly sequence: number;
  readonly sinceMs: number;
  /** Whether the status is held back, since the pods are expected to serve the object any moment. */
  held: boolean;
  late: boolean;
}

/** Objects per slice, after which other work may run. */
const SLICE = 200;
/**
 * How long a status is held back, in ms: pods mostly serve an edit within that time, and a status before would be a second
 * write.
 */
const PATIENCE_MS = 1_000;
/** After this long the message names the fleet that is behind, in ms. */
const LATE_MS = 10_000;
const TICK_MS = 1_000;

export function createStatusQueue(options: StatusQueueOptions): StatusQueue {
  return new ObjectStatusQueue(options);
}

class ObjectStatusQueue implements StatusQueue {
  readonly #options: StatusQueueOptions;
  readonly #clock: Clock;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #waiting = new Map<string, PendingObject>();
  readonly #expiries: Expiries;
  readonly #guardrailUsers: GuardrailUsers;
  readonly #toStatus = createStatusComputer();
  /** The reason of the last event, of objects that have had one; undefined: the object was valid again. */
  readonly #announced = new Map<string, string | undefined>();
  #due = new Set<string>();
  #wake = Promise.withResolvers<void>();
  #begun = false;

  constructor(options: StatusQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#expiries = createExpiries(this.#clock);
    this.#guardrailUsers = createGuardrailUsers(this.#clock);
  }

  update({ translation, sequence }: Translated): void {
    const verdicts = this.#begun ? translation.changes.verdicts : translation.verdicts;
    this.#begun = true;
    for (const key of translation.changes.gone) this.#forget(key);
    for (const verdict of verdicts) {
      if (SELF_REPORTING_KINDS.has(verdict.kind)) continue;
      this.#verdicts.set(verdict.key, verdict);
      this.#expect(verdict, sequence);
      this.#due.add(verdict.key);
    }
    for (const key of this.#guardrailUsers.update(verdicts, translation.changes.gone)) this.#due.add(key);
    this.#notify();
  }

  /** An object that is not known to be programmed has to be acknowledged from this translation on. */
  #expect(verdict: Verdict, sequence: number): void {
    const { key, generation } = verdict;
    const live = this.#liveOf(verdict);
    const done = live !== undefined && isProgrammed(live, generation);
    if (!isServed(verdict) || done) this.#waiting.delete(key);
    else this.#waiting.set(key, { sequence, sinceMs: this.#clock.monotonicMs(), held: false, late: false });
  }

  #forget(key: string): void {
    this.#verdicts.delete(key);
    this.#waiting.delete(key);
    this.#announced.delete(key);
    this.#expiries.forget(key);
    this.#guardrailUsers.forget(key);
  }

  mark(key: string): void {
    if (!this.#verdicts.has(key)) return;
    this.#due.add(key);
    this.#notify();
  }

  markAll(): void {
    for (const key of this.#verdicts.keys()) this.#due.add(key);
    this.#notify();
  }

  markWorkspaces(isConcerned: (workspace: string) => boolean): void {
    for (const [key, verdict] of this.#verdicts)
      if (verdict.kind === 'Workspace' && isConcerned(workspaceNamed(verdict))) this.#due.add(key);
    this.#notify();
  }

  markPending(): void {
    for (const key of this.#waiting.keys()) this.#due.add(key);
    this.#notify();
  }

  markOrigins(origins: ReadonlySet<string>): void {
    for (const [key, verdict] of this.#verdicts) if (origins.has(originKey(verdict))) this.#due.add(key);
    this.#notify();
  }

  #notify(): void {
    this.#wake.resolve();
  }

  async run(signal: AbortSignal): Promise<void> {
    const ticking = this.#tick(signal);
    while (!signal.aborted) {
      if (this.#due.size === 0) await this.#wake.promise;
      this.#wake = Promise.withResolvers();
      const due = this.#due;
      this.#due = new Set();
      await this.#work(due, signal);
    }
    await ticking;
  }

  async #tick(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(TICK_MS, { signal, clock: this.#clock }).catch(() => undefined);
      this.#markWaiting();
      for (const key of this.#expiries.takePassed()) this.#due.add(key);
      for (const key of this.#guardrailUsers.takeDue()) this.#due.add(key);
      this.#notify();
    }
  }

  #markWaiting(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [key, waiting] of this.#waiting) {
      const waitedMs = nowMs - waiting.sinceMs;
      const isLate = !waiting.late && waitedMs >= LATE_MS;
      if (!isLate && !(waiting.held && waitedMs >= PATIENCE_MS)) continue;
      waiting.held = false;
      waiting.late ||= isLate;
      this.#due.add(key);
    }
  }

  async #work(due: Iterable<string>, signal: AbortSignal): Promise<void> {
    let count = 0;
    for (const key of due) {
      if (signal.aborted) return;
      await this.#report(key, signal);
      count += 1;
      if (count % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #report(key: string, signal: AbortSignal): Promise<void> {
    const verdict = this.#verdicts.get(key);
    const live = verdict === undefined ? undefined : this.#liveOf(verdict);
    if (verdict === undefined || live === undefined || live.metadata.generation !== verdict.generation) return;
    const programmed = this.#programmedStateOf(verdict);
    if (this.#isUnderWay(verdict, programmed)) return;
    const observed = observedGeneration(live);
    const expired = this.#expiries.hasPassed(key, live);
    const exhausted = this.#options.ports.exhaustion(live);
    const countedApart =
      verdict.kind === 'Workspace' ? this.#options.fleets.countedApart(workspaceNamed(verdict)) : undefined;
    const draft = this.#toStatus({ verdict, programmed, observed, expired, exhausted, countedApart });
    const extras = { ...this.#options.ports.extras(live), ...this.#usersOf(verdict) };
    const status = Object.keys(extras).length === 0 ? draft : { ...draft, ...extras };
    this.#announce(verdict, live);
    try {
      await this.#options.ports.writer.applyIfChanged(live, status, { signal });
    } catch (error) {
      if (!signal.aborted) this.#options.log.error({ object: key, err: error }, 'Could not decide on a status');
    }
  }

  #usersOf({ kind, key }: Verdict): Readonly<Record<string, unknown>> {
    return kind === 'Guardrail' ? { usedBy: this.#guardrailUsers.show(key) } : {};
  }

  #isUnderWay({ key, conditions }: Verdict, { reason }: ProgrammedState): boolean {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined || reason !== 'Pending' || conditions.ResolvedRefs.status !== 'True') return false;
    waiting.held = this.#clock.monotonicMs() - waiting.sinceMs < PATIENCE_MS;
    return waiting.held;
  }

  #programmedStateOf(verdict: Verdict): ProgrammedState {
    const { key, workspace = null } = verdict;
    const { sequence = -1, late = false } = this.#waiting.get(key) ?? {};
    const origin = originKey(verdict);
    const programmed = this.#options.fleets.programmedStateOf({ workspace, origin, sequence, late });
    if (programmed.status === 'True') this.#waiting.delete(key);
    return programmed;
  }

  /** Records an event on transitions only, and none when an object is accepted for the first time. */
  #announce({ key, conditions }: Verdict, regarding: KubeObject): void {
    const bad = [conditions.Accepted, conditions.ResolvedRefs].find(({ status }) => status === 'False');
    const announced = this.#announced.has(key) ? this.#announced.get(key) : problemOf(regarding);
    if (announced === bad?.reason) return;
    this.#announced.set(key, bad?.reason);
    const news = bad === undefined ? RECOVERED : { type: 'Warning' as const, reason: bad.reason, note: bad.message };
    this.#options.ports.events.record({ regarding, action: 'Translate', ...news });
  }

  #liveOf({ kind, key }: Verdict): KubeObject | undefined {
    return this.#options.ports.live(kind, key.slice(kind.length + 1));
  }
}

/** Of a Workspace. */
const workspaceNamed = ({ kind, key }: Verdict): string => key.slice(kind.length + 1);

const RECOVERED = { type: 'Normal', reason: 'Accepted', note: 'The object is valid again' } as const;

/** The problem in the status, which another leader may have written; an end of life is none. */
function problemOf(object: KubeObject): string | undefined {
  const stalled = conditionOf(object, 'Stalled');
  return stalled?.status === 'True' && stalled.reason !== 'Expired' ? stalled.reason : undefined;
}

/** Whether the status says that this generation was served by all pods: that is written once and stays true. */
function isProgrammed(object: KubeObject, generation: number): boolean {
  const known = conditionOf(object, 'Programmed');
  return known?.status === 'True' && 'observedGeneration' in known && known.observedGeneration === generation;
}
