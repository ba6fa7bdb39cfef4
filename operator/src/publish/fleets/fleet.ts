import { compareRevisions, type Snapshot } from '@gatehouse/crds/snapshot';
import { type Clock, createBackoff, createRate, hasReason, type Log, sleep } from '../../runtime/index.ts';
import {
  type Acknowledgement,
  createPublishMaintenance,
  type FleetPod,
  type Published,
  type ReportedRevision,
} from '../index.ts';
import { type CountedLimits, countedLimits, countersOf } from './counted-limits.ts';
import { rejectionOf, reportsOf, toLagging } from './lagging.ts';
import type { FleetCounts, FleetParts, PublishTarget, RejectedEntry } from './ports.ts';
import { type Publication, Publications } from './publications.ts';
import {
  changedOrigins,
  NONE_UNSERVED,
  oversizedEntries,
  skippedEntries,
  toRejectedEntries,
  type UnservedEntries,
} from './unserved-entries.ts';

/** A Snapshot to publish, and the translation it comes from. */
export interface FleetSnapshot {
  /** Counts translations; a later one includes all changes of earlier ones. */
  readonly sequence: number;
  readonly snapshot: Snapshot;
  /** When the oldest change in it was seen, on the monotonic clock. */
  readonly sinceMs: number;
}

export interface FleetOptions {
  readonly target: PublishTarget;
  readonly parts: FleetParts;
  readonly log: Log;
  readonly clock: Clock;
  readonly random?: () => number;
  /** The served sequence or the table of pods has changed. */
  readonly onChange: () => void;
  /** The entries of some objects that pods do not serve have changed. */
  readonly onUnservedChange: (origins: ReadonlySet<string>) => void;
  /** A version has reached every ready pod this long after its oldest change. */
  readonly onPropagated: (seconds: number) => void;
}

const BACKOFF = { minMs: 200, maxMs: 30_000 };
/** Bounds of lists in the status, as in its schema. */
const MAX_LAGGING = 32;
const MAX_REJECTED = 32;
/** A pod may report anything: new epochs per second that its reports can start in the long run, and at once. */
const EPOCHS = { perSecond: 1 / 30, burst: 2 };

/** Publishes to one fleet and follows what its pods serve. */
export class Fleet {
  target: PublishTarget;
  /** The newest translation that every ready pod serves; -1 before the first. */
  servedSequence = -1;
  readonly #options: FleetOptions;
  #wanted: FleetSnapshot | undefined;
  #publishedSequence = -1;
  #published: Published | undefined;
  readonly #issues = new Publications();
  #wake = Promise.withResolvers<void>();
  #reported = Promise.withResolvers<void>();
  #tooLarge = NONE_UNSERVED;
  #unusable = NONE_UNSERVED;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.target = options.target;
  }

  setSnapshot(wanted: FleetSnapshot): void {
    // A change that waits for its publication keeps its time.
    const waiting = this.#wanted !== undefined && this.#wanted.sequence > this.#publishedSequence;
    const sinceMs = waiting && this.#wanted !== undefined ? this.#wanted.sinceMs : wanted.sinceMs;
    this.#wanted = { ...wanted, sinceMs };
    this.wake();
  }

  setPods(pods: readonly FleetPod[]): void {
    this.#options.parts.acknowledgements.setPods(pods);
  }

  wake(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** To be called when pods have answered. */
  settle(): void {
    const { clock, onPropagated } = this.#options;
    const { served, taken, isKnown } = this.#issues.settle(this.#table());
    this.servedSequence = served;
    for (const sinceMs of taken) onPropagated((clock.monotonicMs() - sinceMs) / 1_000);
    this.#reported.resolve();
    this.#reported = Promise.withResolvers();
    if (isKnown) this.#noteUnserved(this.#tooLarge, skippedEntries(this.#table()));
  }

  #noteUnserved(large: UnservedEntries, useless: UnservedEntries): void {
    const origins = changedOrigins(this.#tooLarge, large).union(changedOrigins(this.#unusable, useless));
    this.#tooLarge = large;
    this.#unusable = useless;
    if (origins.size > 0) this.#options.onUnservedChange(origins);
  }

  /** The entry of an object, as of a translation, that pods do not serve; undefined: none is known. */
  unservedEntry(origin: string, sequence: number): RejectedEntry | undefined {
    if (this.#publishedSequence < sequence) return undefined;
    return this.#tooLarge.get(origin) ?? (this.servedSequence < sequence ? undefined : this.#unusable.get(origin));
  }

  /** Publishes the latest Snapshot until the signal ends; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, clock, random = Math.random } = this.#options;
    const backoff = createBackoff(BACKOFF, random);
    const beside = [this.#runMaintenance(signal), this.#startEpochs(signal)];
    signal.addEventListener('abort', () => this.#wakeAll(), { once: true });
    while (!signal.aborted) {
      const woken = this.#wake.promise;
      const wanted = this.#wanted;
      if (wanted === undefined || wanted.sequence <= this.#publishedSequence || this.target.suspended) {
        await woken;
        continue;
      }
      try {
        await this.#publish(wanted, signal);
        backoff.reset();
      } catch (error) {
        if (signal.aborted) break;
        const reason = hasReason(error, 'Conflict', 'AlreadyExists') ? 'Conflict' : reasonOf(error);
        log.warn({ fleet: this.target.key, reason }, 'Could not publish to a fleet');
        await sleep(backoff.next(), { signal, clock }).catch(() => undefined);
      }
    }
    await Promise.all(beside);
  }

  async #publish({ sequence, snapshot, sinceMs }: FleetSnapshot, signal: AbortSignal): Promise<void> {
    const { parts, log } = this.#options;
    const published = await parts.publisher.publish(snapshot, { signal });
    const { version, changed, oversized } = published;
    this.#publishedSequence = sequence;
    const { ready } = parts.acknowledgements.count(undefined);
    this.#note(published, { sequence, sinceMs: changed && ready > 0 ? sinceMs : undefined });
    if (changed) log.info({ fleet: this.target.key, version, entries: snapshot.entries.length }, 'Snapshot published');
    if (oversized.length > 0)
      log.error({ fleet: this.target.key, entries: oversized.length }, 'Entries were too large');
  }

  #note(published: Published, { sequence, sinceMs }: Pick<Publication, 'sequence' | 'sinceMs'>): void {
    this.#published = published;
    this.#issues.add({ digest: published.digest, sequence, sinceMs });
    this.#noteUnserved(oversizedEntries(published.oversized), this.#unusable);
    this.settle();
    this.#options.onChange();
  }

  /** A pod ahead of what was published takes nothing older than what it serves: see docs/behaviour/publishing.md. */
  async #startEpochs(signal: AbortSignal): Promise<void> {
    const { parts, log, clock } = this.#options;
    const rate = createRate({ ...EPOCHS, clock });
    while (!signal.aborted) {
      const reported = this.#reported.promise;
      if (this.#aheadReport() === undefined) {
        await reported;
        continue;
      }
      await rate.turn(signal).catch(() => undefined);
      const report = this.#aheadReport();
      if (signal.aborted || report === undefined) continue;
      try {
        const published = await parts.publisher.startEpoch(report, { signal });
        const sequence = this.#publishedSequence;
        if (published !== undefined) this.#note(published, { sequence, sinceMs: undefined });
      } catch (error) {
        if (!signal.aborted) log.warn({ fleet: this.target.key, reason: reasonOf(error) }, 'Could not start an epoch');
      }
    }
  }

  /** The latest revision that a pod reports and that is ahead of what is published; undefined: there is none. */
  #aheadReport(): ReportedRevision | undefined {
    const { publisher } = this.#options.parts;
    if (this.#published === undefined || this.target.suspended) return undefined;
    const reports = reportsOf(this.#table()).filter((report) => publisher.isAhead(report));
    return reports.sort(compareRevisions).at(-1);
  }

  #wakeAll(): void {
    this.wake();
    this.#reported.resolve();
  }

  /** Repairs published objects that were changed from outside. */
  async #runMaintenance(signal: AbortSignal): Promise<void> {
    const { parts, log, clock } = this.#options;
    const maintenance = createPublishMaintenance({
      publisher: parts.publisher,
      isPaused: () => this.target.suspended,
      onRepaired: ({ published }) => {
        if (published !== undefined) this.#note(published, { sequence: this.#publishedSequence, sinceMs: undefined });
      },
      log,
      clock,
    });
    await Promise.all([maintenance.run(signal), parts.watchPublished(maintenance.wake, signal)]);
  }

  get hasReadyPods(): boolean {
    return this.#options.parts.acknowledgements.count(undefined).ready > 0;
  }

  /**
   * Whether nothing has to wait for it: it has no ready pods, and its next ones become ready with what is published. A
   * suspended fleet may stay as it is for ever, so that nothing waits for it either.
   */
  isIdleWith(sequence: number): boolean {
    return !this.hasReadyPods && (this.target.suspended || this.#publishedSequence >= sequence);
  }

  /** The reason of a pod that refuses what is published. */
  get rejection(): string | undefined {
    return rejectionOf(this.#table(), this.#published);
  }

  /** A text that changes whenever the condition `Programmed` of any object may change. */
  get progress(): string {
    const idleWith = this.hasReadyPods ? '' : this.#publishedSequence;
    return `${this.servedSequence} ${idleWith} ${this.rejection ?? ''}`;
  }

  /** For the status of the fleet; undefined before the first publication and until every pod was polled. */
  counts(): FleetCounts | undefined {
    const published = this.#published;
    const table = this.#table();
    if (published === undefined || table.some(({ reachable }) => reachable === undefined)) return undefined;
    const { epoch, version, digest } = published;
    const { serving } = this.#options.parts.acknowledgements.count(digest);
    const lagging = table.flatMap((row) => toLagging(row, published)).slice(0, MAX_LAGGING);
    const rejected = toRejectedEntries(this.#tooLarge, this.#unusable).slice(0, MAX_REJECTED);
    return { epoch, version, programmed: serving, lagging, rejected, limits: this.#limits() };
  }

  #limits(): CountedLimits {
    return countedLimits(this.#table());
  }

  /** What its pods count limits in: fleets with equal texts share their counters. Undefined: not known. */
  get counters(): string | undefined {
    return countersOf(this.target.key, this.#limits());
  }

  #table(): readonly Acknowledgement[] {
    return this.#options.parts.acknowledgements.table();
  }

  async close(): Promise<void> {
    await this.#options.parts.acknowledgements.close();
  }
}

const reasonOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'reason' in error ? String(error.reason) : 'Other';
