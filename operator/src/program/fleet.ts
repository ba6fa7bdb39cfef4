import type { Snapshot } from '@gatehouse/crds/snapshot';
import type { Acknowledgement, FleetPod } from '../publish/index.ts';
import { type Clock, createBackoff, hasReason, type Log, sleep } from '../runtime/index.ts';
import { differing, entriesOf, type LeftOut, NOTHING_LEFT_OUT, tooLarge, unusable } from './left-out.ts';
import type { FleetCounts, FleetParts, FleetPlace, LaggingPod, RejectedEntry } from './ports.ts';

/** What is to be published: the translation it comes from, and when that translation was asked for. */
export interface Edition {
  /** Counts translations; later ones hold all that earlier ones had. */
  readonly sequence: number;
  readonly snapshot: Snapshot;
  /** When the oldest change in it was seen, on a clock that never goes back. */
  readonly sinceMs: number;
}

interface Issue {
  readonly version: number;
  readonly sequence: number;
  /** Undefined where nobody waited: no pod was ready. */
  readonly sinceMs: number | undefined;
}

export interface FleetOptions {
  readonly place: FleetPlace;
  readonly parts: FleetParts;
  readonly log: Log;
  readonly clock: Clock;
  readonly random?: () => number;
  /** The sequence that is served, or the table of pods, has changed. */
  readonly onChange: () => void;
  /** What the pods do not serve of some objects has changed. */
  readonly onLeftOut: (origins: ReadonlySet<string>) => void;
  /** A version has reached every ready pod so long after its oldest change. */
  readonly onPropagated: (seconds: number) => void;
}

/** Publications that pods have not all taken yet; older ones are forgotten first, since later ones hold what they had. */
const MAX_ISSUES = 256;
const BACKOFF = { minMs: 200, maxMs: 30_000 };
/** How often what is published is looked after, in ms. */
const MAINTENANCE_MS = 60_000;
/** Rows of the status; its schema takes no more. */
const MAX_LAGGING = 32;
const MAX_REJECTED = 32;

/** Publishes to one fleet and knows how far its pods are. */
export class Fleet {
  place: FleetPlace;
  /** The newest translation that every ready pod serves; -1 before the first. */
  servedSequence = -1;
  readonly #options: FleetOptions;
  #wanted: Edition | undefined;
  #publishedSequence = -1;
  #version: number | undefined;
  #issues: readonly Issue[] = [];
  #wake = Promise.withResolvers<void>();
  #tooLarge = NOTHING_LEFT_OUT;
  #unusable = NOTHING_LEFT_OUT;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.place = options.place;
  }

  want(edition: Edition): void {
    // The time of a change that has not been published yet counts until it has been.
    const waiting = this.#wanted !== undefined && this.#wanted.sequence > this.#publishedSequence;
    const sinceMs = waiting && this.#wanted !== undefined ? this.#wanted.sinceMs : edition.sinceMs;
    this.#wanted = { ...edition, sinceMs };
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
    const lowest = this.#options.parts.acknowledgements.lowest();
    if (lowest === undefined) return;
    this.#settle(lowest);
    this.#leaveOut(this.#tooLarge, unusable(this.#table()));
  }

  #leaveOut(large: LeftOut, useless: LeftOut): void {
    const origins = differing(this.#tooLarge, large).union(differing(this.#unusable, useless));
    this.#tooLarge = large;
    this.#unusable = useless;
    if (origins.size > 0) this.#options.onLeftOut(origins);
  }

  /** What pods do not serve of an object as it is since a translation; undefined: nothing is known of any. */
  leftOut(origin: string, sequence: number): RejectedEntry | undefined {
    if (this.#publishedSequence < sequence) return undefined;
    return this.#tooLarge.get(origin) ?? (this.servedSequence < sequence ? undefined : this.#unusable.get(origin));
  }

  #settle(lowest: number): void {
    const { clock, onPropagated } = this.#options;
    const taken = this.#issues.filter(({ version }) => version <= lowest);
    this.#issues = this.#issues.filter(({ version }) => version > lowest);
    for (const { sequence, sinceMs } of taken) {
      this.servedSequence = Math.max(this.servedSequence, sequence);
      if (sinceMs !== undefined) onPropagated((clock.monotonicMs() - sinceMs) / 1_000);
    }
  }

  /** Publishes what is wanted until the signal ends; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, clock, random = Math.random } = this.#options;
    const backoff = createBackoff(BACKOFF, random);
    const maintenance = this.#maintain(signal);
    signal.addEventListener('abort', () => this.wake(), { once: true });
    while (!signal.aborted) {
      const woken = this.#wake.promise;
      const edition = this.#wanted;
      if (edition === undefined || edition.sequence <= this.#publishedSequence || this.place.suspended) {
        await woken;
        continue;
      }
      try {
        await this.#publish(edition, signal);
        backoff.reset();
      } catch (error) {
        if (signal.aborted) break;
        const reason = hasReason(error, 'Conflict', 'AlreadyExists') ? 'Conflict' : reasonOf(error);
        log.warn({ fleet: this.place.key, reason }, 'Could not publish to a fleet');
        await sleep(backoff.next(), { signal, clock }).catch(() => undefined);
      }
    }
    await maintenance;
  }

  async #publish({ sequence, snapshot, sinceMs }: Edition, signal: AbortSignal): Promise<void> {
    const { parts, log, onChange } = this.#options;
    const { version, changed, oversized } = await parts.publisher.publish(snapshot, { signal });
    this.#publishedSequence = sequence;
    this.#version = version;
    const { ready } = parts.acknowledgements.count(version);
    const issue = { version, sequence, sinceMs: changed && ready > 0 ? sinceMs : undefined };
    this.#issues = [...this.#issues.slice(-MAX_ISSUES), issue];
    if (changed) log.info({ fleet: this.place.key, version, entries: snapshot.entries.length }, 'Snapshot published');
    if (oversized.length > 0) log.error({ fleet: this.place.key, entries: oversized.length }, 'Entries were too large');
    this.#leaveOut(tooLarge(oversized), this.#unusable);
    this.settle();
    onChange();
  }

  async #maintain(signal: AbortSignal): Promise<void> {
    const { parts, log, clock } = this.#options;
    while (!signal.aborted) {
      await sleep(MAINTENANCE_MS, { signal, clock }).catch(() => undefined);
      if (signal.aborted || this.place.suspended) continue;
      await parts.publisher.maintain({ signal }).catch((error: unknown) => {
        if (!signal.aborted)
          log.warn({ fleet: this.place.key, reason: reasonOf(error) }, 'Could not look after shards');
      });
    }
  }

  get hasReadyPods(): boolean {
    return this.#options.parts.acknowledgements.count(0).ready > 0;
  }

  /**
   * Whether it holds nothing up: it has no ready pods, and what is published is what its next ones become ready with. A suspended
   * fleet may stay as it is for ever, and others must not wait for that.
   */
  isIdleWith(sequence: number): boolean {
    return !this.hasReadyPods && (this.place.suspended || this.#publishedSequence >= sequence);
  }

  /** The reason a pod gives for refusing the version it should serve. */
  get rejection(): string | undefined {
    const version = this.#version ?? 0;
    return this.#table().find(({ answer }) => (answer?.rejected?.version ?? -1) >= version)?.answer?.rejected?.reason;
  }

  /** A text that is the same as long as nobody's `Programmed` can have changed. */
  get progress(): string {
    const idleWith = this.hasReadyPods ? '' : this.#publishedSequence;
    return `${this.servedSequence} ${idleWith} ${this.rejection ?? ''}`;
  }

  /** For the status of the fleet; undefined before the first publication and while a pod has yet to be asked. */
  counts(): FleetCounts | undefined {
    const version = this.#version;
    if (version === undefined || this.#table().some(({ reachable }) => reachable === undefined)) return undefined;
    const { serving } = this.#options.parts.acknowledgements.count(version);
    const lagging = this.#table().flatMap((row) => toLagging(row, version));
    const rejected = entriesOf(this.#tooLarge, this.#unusable).slice(0, MAX_REJECTED);
    return { version, programmed: serving, lagging: lagging.slice(0, MAX_LAGGING), rejected };
  }

  #table(): readonly Acknowledgement[] {
    return this.#options.parts.acknowledgements.table();
  }

  async close(): Promise<void> {
    await this.#options.parts.acknowledgements.close();
  }
}

function toLagging({ pod, answer, reachable }: Acknowledgement, version: number): LaggingPod[] {
  const { rejected } = answer ?? {};
  if (answer?.version !== undefined && answer.version >= version) return [];
  const known = answer?.version === undefined ? {} : { version: answer.version };
  if (rejected !== undefined && rejected.version >= version) {
    return [{ name: pod.name, ...known, reason: 'Rejected', message: rejected.reason }];
  }
  return [{ name: pod.name, ...known, reason: reachable ? 'Pending' : 'Unreachable' }];
}

const reasonOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'reason' in error ? String(error.reason) : 'Other';
