import {
  comparePlaces,
  contentDigest,
  type Manifest,
  type Oversized,
  type Place,
  type Shard,
  type Snapshot,
  type Split,
  splitIntoShards,
} from '@gatehouse/crds/snapshot';
import { type Clock, type Log, systemClock } from '../runtime/index.ts';
import { dueRows, type Journal, rowsBefore } from './journal.ts';
import { createMemory, type Memory, type Report } from './memory.ts';
import type { FleetIdentity } from './objects.ts';
import { forEachAtOnce } from './parallel.ts';
import { type Plan, planPublish } from './plan.ts';
import { createShelf, type Doomed, type ManifestState, type Shelf, type ShelfClient, type Stored } from './shelf.ts';

export interface PublisherOptions {
  readonly client: ShelfClient;
  readonly fleet: FleetIdentity;
  /** Of this leader, unique among all that ever led: pod name and uid. */
  readonly identity: string;
  /** What remembers how far the fleet was told besides what is published: its status. */
  readonly remembered?: () => Place | undefined;
  readonly log: Log;
  readonly clock?: Clock;
}

/** `epoch` and `version` are those that gateways load, as before when nothing has changed. */
export interface Published extends Place {
  /** Of the content: what a gateway says that serves it. */
  readonly digest: string;
  readonly changed: boolean;
  /** Entries left out because no shard can hold them. */
  readonly oversized: readonly Oversized[];
}

export interface Maintained {
  /** Shards that were deleted. */
  readonly collected: number;
  /** Objects that had gone missing and were put back, the manifest included. */
  readonly restored: number;
}

type Options = { readonly signal: AbortSignal };

/**
 * Publishes the Snapshots of one fleet; calls run one after the other, and `signal` must end with the lease. All reject with
 * ApiError: `Conflict` and `AlreadyExists` mean that somebody else has published. Who still leads then calls again, and that call
 * builds on what is there by then.
 */
export interface Publisher {
  /**
   * Shards first, the manifest last: ended anywhere in between, the manifest of before is whole. No write when nothing has
   * changed.
   */
  publish(snapshot: Snapshot, options: Options): Promise<Published>;
  /** Whether a pod serves what is not known to have been published, so that it would refuse what comes next. */
  isSurpassedBy(report: Report): boolean;
  /** Publishes the last Snapshot once more, in an epoch that the pod takes, if nobody else has done so; undefined before the first. */
  surpass(report: Report, options: Options): Promise<Published | undefined>;
  /**
   * To be called about once a minute: puts back what somebody removed, and deletes shards that nothing has named for ten minutes.
   */
  maintain(options: Options): Promise<Maintained>;
}

/** What the next write builds on. */
interface Base {
  readonly manifest: Stored<ManifestState>;
  readonly journal: Stored<Journal>;
}

interface Wanted {
  readonly schemaVersion: Snapshot['schemaVersion'];
  readonly split: Split;
}

interface Outcome extends Place {
  readonly digest: string;
  readonly changed: boolean;
  readonly restored: number;
}

/** As many as the client has connections. */
const CALLS_AT_ONCE = 16;
/** Shards that one `maintain` looks at: all of a large fleet within some minutes. */
const CHECKED_SHARDS = 64;

export function createPublisher(options: PublisherOptions): Publisher {
  const publisher = new FleetPublisher({ clock: systemClock, remembered: () => undefined, ...options });
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const next = queue.then(task);
    queue = next.catch(() => undefined);
    return next;
  };
  return {
    publish: (snapshot, given) => inTurn(() => publisher.publish(snapshot, given)),
    isSurpassedBy: (report) => publisher.memory.isSurpassedBy(report),
    surpass: (report, given) => inTurn(() => publisher.surpass(report, given)),
    maintain: (given) => inTurn(() => publisher.maintain(given)),
  };
}

class FleetPublisher {
  readonly memory: Memory = createMemory();
  readonly #options: Required<PublisherOptions>;
  readonly #shelf: Shelf;
  /** Undefined before the first call and after a failure, when it is not known what was written. */
  #base: Base | undefined;
  #wanted: Wanted | undefined;
  /** Digests of shards that the manifest names and that have been seen. */
  #seen: ReadonlySet<string> = new Set();
  #checkedUpTo = 0;

  constructor(options: Required<PublisherOptions>) {
    this.#options = options;
    this.#shelf = createShelf(options.client, options.fleet, options.log);
  }

  async publish({ entries, schemaVersion }: Snapshot, options: Options): Promise<Published> {
    const split = splitIntoShards(entries, {}, this.#wanted?.split);
    const wanted = { schemaVersion, split };
    this.#wanted = wanted;
    return this.#afresh(async () => {
      this.#base ??= await this.#open(options);
      return toPublished(await this.#write(wanted, this.#base, options), split);
    });
  }

  async surpass(report: Report, options: Options): Promise<Published | undefined> {
    const wanted = this.#wanted;
    if (wanted === undefined) return undefined;
    return this.#afresh(async () => {
      this.#base = await this.#open(options);
      const isAhead = this.memory.isSurpassedBy(report);
      const place = isAhead ? this.memory.nextEpoch(report) : undefined;
      const { epoch, version } = report;
      if (isAhead) this.#options.log.warn({ reported: { epoch, version }, place }, 'A new epoch was started');
      return toPublished(await this.#write(wanted, this.#base, options, place), wanted.split);
    });
  }

  async maintain(options: Options): Promise<Maintained> {
    const wanted = this.#wanted;
    if (wanted === undefined) return { collected: 0, restored: 0 };
    return this.#afresh(async () => {
      this.#base = await this.#open(options);
      this.#lookAgain(wanted.split.shards);
      const { restored, changed } = await this.#write(wanted, this.#base, options);
      if (restored > 0 || changed)
        this.#options.log.warn({ restored }, 'What was published had changed and was put back');
      return { restored: restored + (changed ? 1 : 0), collected: await this.#collect(this.#base, options) };
    });
  }

  async #afresh<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      this.#base = undefined;
      throw error;
    }
  }

  /** The journal is claimed before the manifest is read: from then on a deposed leader fails before its first shard. */
  async #open(options: Options): Promise<Base> {
    const { identity } = this.#options;
    let journal = await this.#shelf.readJournal(options);
    if (journal.value.publisher !== identity) {
      journal = await this.#shelf.writeJournal({ ...journal.value, publisher: identity }, journal, options);
    }
    const manifest = await this.#shelf.readManifest(options);
    const { remembered } = this.#options;
    for (const place of [journal.value, manifest.value.place, remembered()]) {
      if (place !== undefined) this.memory.recall(place);
    }
    const { last } = this.memory;
    if (comparePlaces(journal.value, last) < 0) {
      journal = await this.#shelf.writeJournal({ ...journal.value, ...last }, journal, options);
    }
    return { journal, manifest };
  }

  /** `newEpoch`: where to publish whether something has changed or not. */
  async #write({ split, schemaVersion }: Wanted, base: Base, options: Options, newEpoch?: Place): Promise<Outcome> {
    const { manifest, place: current } = base.manifest.value;
    const plan = planPublish(manifest, split.shards, { fleet: this.#options.fleet.name, schemaVersion });
    const digest = contentDigest({ schemaVersion, shards: plan.refs });
    const restored = await this.#restore(plan, options);
    const isLast = comparePlaces(current, this.memory.last) === 0;
    if (!plan.changed && isLast && newEpoch === undefined) {
      this.#seen = digestsOf(split.shards);
      this.memory.advance(current, digest);
      return { ...current, digest, changed: false, restored };
    }
    const { epoch, version } = newEpoch ?? this.memory.next();
    const journal = await this.#announce(plan, { epoch, version }, base, options);
    this.memory.advance({ epoch, version }, digest);
    await this.#put(plan.added, options);
    const next: Manifest = {
      epoch,
      version,
      digest,
      schemaVersion: { ...schemaVersion },
      shards: [...plan.refs],
      publishedAt: this.#options.clock.wallMs(),
      publisher: this.#options.identity,
    };
    this.#base = { journal, manifest: await this.#shelf.writeManifest(next, base.manifest, options) };
    this.#seen = digestsOf(split.shards);
    return { epoch, version, digest, changed: true, restored };
  }

  /** Puts back what the manifest names and nobody has; answers how many. */
  async #restore({ kept }: Plan, options: Options): Promise<number> {
    const absent: Shard[] = [];
    const unseen = kept.filter(({ digest }) => !this.#seen.has(digest));
    await forEachAtOnce(unseen, CALLS_AT_ONCE, async (shard) => {
      if (!(await this.#shelf.hasShard(shard, options))) absent.push(shard);
    });
    await this.#put(absent, options);
    return absent.length;
  }

  /** Writes down what is about to come and to go, so that it can be collected whatever happens. */
  #announce({ refs }: Plan, place: Place, { journal, manifest }: Base, options: Options): Promise<Stored<Journal>> {
    const { clock, identity } = this.#options;
    const before = manifest.value.manifest?.shards ?? [];
    const shards = rowsBefore(journal.value.shards, { before, after: refs }, clock.wallMs());
    return this.#shelf.writeJournal({ ...journal.value, ...place, publisher: identity, shards }, journal, options);
  }

  #put(shards: readonly Shard[], options: Options): Promise<void> {
    const { epoch, version } = this.memory.last;
    const namedBy = `${this.#options.identity}/${epoch}.${version}`;
    return forEachAtOnce(shards, CALLS_AT_ONCE, (shard) => this.#shelf.putShard(shard, namedBy, options));
  }

  /** Forgets having seen the next few shards. */
  #lookAgain(shards: readonly Shard[]): void {
    const from = this.#checkedUpTo < shards.length ? this.#checkedUpTo : 0;
    this.#checkedUpTo = from + CHECKED_SHARDS;
    const due = digestsOf(shards.slice(from, this.#checkedUpTo));
    this.#seen = new Set([...this.#seen].filter((digest) => !due.has(digest)));
  }

  /**
   * Looks at the shards, writes the journal, and only then deletes them as they were: a leader that has come since has either made the
   * journal write fail, or touches what it needs, which makes the deletion fail.
   */
  async #collect({ manifest, journal }: Base, options: Options): Promise<number> {
    const nowMs = this.#options.clock.wallMs();
    const due = dueRows(journal.value.shards, manifest.value.manifest?.shards ?? [], nowMs);
    if (due.length === 0) return 0;
    const doomed: Doomed[] = [];
    await forEachAtOnce(due, CALLS_AT_ONCE, async (row) => {
      const found = await this.#shelf.look(row, options);
      if (found !== undefined) doomed.push(found);
    });
    const claimed = await this.#shelf.writeJournal({ ...journal.value, collectedAtMs: nowMs }, journal, options);
    const left = new Set<string>();
    await forEachAtOnce(doomed, CALLS_AT_ONCE, async (shard) => {
      if (!(await this.#shelf.remove(shard, options))) left.add(shard.row.name);
    });
    const gone = new Set(due.filter(({ name }) => !left.has(name)));
    const shards = claimed.value.shards.filter((row) => !gone.has(row));
    this.#base = { manifest, journal: await this.#shelf.writeJournal({ ...claimed.value, shards }, claimed, options) };
    return doomed.length - left.size;
  }
}

const toPublished = ({ restored: _, ...outcome }: Outcome, { oversized }: Split): Published => ({
  ...outcome,
  oversized,
});

const digestsOf = (shards: readonly Shard[]): ReadonlySet<string> => new Set(shards.map(({ digest }) => digest));
