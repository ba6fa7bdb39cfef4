/**
 * Publishes the Snapshots of one fleet: shards first, the manifest last, each write fenced against a deposed leader.
 */
import {
  compareRevisions,
  contentDigest,
  type Manifest,
  manifestName,
  type Oversized,
  type Revision,
  type Snapshot,
  type Split,
  shardName,
  splitIntoShards,
} from '@gatehouse/crds/snapshot';
import { type Clock, createRate, type Log, type Rate, systemClock } from '../runtime/index.ts';
import { type Journal, journalName, rowsBefore } from './journal.ts';
import type { FleetIdentity } from './objects.ts';
import { type PublishPlan, planPublish } from './plan.ts';
import type { PublishedWatch } from './published-watch.ts';
import { createRevisionMemory, type ReportedRevision, type RevisionMemory } from './revision-memory.ts';
import { type Selection, ShardCollector } from './shard-collector.ts';
import {
  createShardStore,
  type ManifestState,
  type ShardStore,
  type ShardStoreClient,
  type Stored,
} from './shard-store.ts';
import { ShardWriter } from './shard-writer.ts';

export interface PublisherOptions {
  readonly client: ShardStoreClient;
  readonly fleet: FleetIdentity;
  /** Unique among all leaders: pod name, uid and a random part. */
  readonly identity: string;
  /** The revision in the fleet's status, besides what is published. */
  readonly lastKnown?: () => Revision | undefined;
  /** Shows which objects exist; without it objects are read again at intervals. */
  readonly watch?: PublishedWatch | undefined;
  /** The pace of deletions, shared by all fleets. */
  readonly deletions?: Rate;
  readonly log: Log;
  readonly clock?: Clock;
}

/** The revision that gateways load; the previous one when nothing has changed. */
export interface Published extends Revision {
  /** The digest of the content, which gateways report when they serve it. */
  readonly digest: string;
  readonly changed: boolean;
  /** Entries that were left out, since they do not fit into a shard. */
  readonly oversized: readonly Oversized[];
}

export interface Repaired {
  /** Objects that were missing or changed and were written again, the manifest included. */
  readonly restored: number;
  /** What is published now, if it had to be written again. */
  readonly published?: Published | undefined;
}

type Options = { readonly signal: AbortSignal };

/**
 * Publishes the Snapshots of one fleet. Calls run one after the other, and `signal` must end with the lease. All reject with
 * ApiError: `Conflict` and `AlreadyExists` mean that another leader has published. A process that still leads calls again, and
 * that call builds on what is there by then.
 */
export interface Publisher {
  /**
   * Shards first, the manifest last: whenever it is interrupted, the previous manifest stays whole. Writes nothing when nothing
   * has changed.
   */
  publish(snapshot: Snapshot, options: Options): Promise<Published>;
  /** Whether a pod serves a revision that is not known to have been published, so that it would refuse the next one. */
  isAhead(report: ReportedRevision): boolean;
  /**
   * Publishes the last Snapshot again in a new epoch, which the pod takes, unless another call has done so; undefined before
   * the first publish.
   */
  startEpoch(report: ReportedRevision, options: Options): Promise<Published | undefined>;
  /** Restores published objects that were removed or changed from outside. */
  repair(options: Options): Promise<Repaired>;
  /** Deletes shards that nothing has named for ten minutes, at a slow pace; returns how many. */
  collect(options: Options): Promise<number>;
}

/** What the next write builds on. */
interface Base {
  readonly manifest: Stored<ManifestState>;
  readonly journal: Stored<Journal>;
}

interface DesiredContent {
  readonly schemaVersion: Snapshot['schemaVersion'];
  readonly split: Split;
}

interface WriteResult extends Revision {
  readonly digest: string;
  readonly changed: boolean;
  readonly restored: number;
}

/** Deletions per second, of all fleets together. */
export const DELETIONS_PER_SECOND = 5;

export function createPublisher(options: PublisherOptions): Publisher {
  const { clock = systemClock } = options;
  const publisher = new FleetPublisher({
    clock,
    lastKnown: () => undefined,
    watch: undefined,
    deletions: createRate({ perSecond: DELETIONS_PER_SECOND, burst: 1, clock }),
    ...options,
  });
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const next = queue.then(task);
    queue = next.catch(() => undefined);
    return next;
  };
  return {
    publish: (snapshot, given) => inTurn(() => publisher.publish(snapshot, given)),
    isAhead: (report) => publisher.memory.isAhead(report),
    startEpoch: (report, given) => inTurn(() => publisher.surpass(report, given)),
    repair: (given) => inTurn(() => publisher.repair(given)),
    // Deleting takes long, and publishing does not wait for it.
    collect: async (given) => publisher.collector.remove(await inTurn(() => publisher.choose(given)), given),
  };
}

class FleetPublisher {
  readonly memory: RevisionMemory = createRevisionMemory();
  readonly collector: ShardCollector;
  readonly #options: Required<PublisherOptions>;
  readonly #store: ShardStore;
  readonly #writer: ShardWriter;
  /** Undefined before the first call and after a failure, when it is unknown what was written. */
  #base: Base | undefined;
  #wanted: DesiredContent | undefined;

  constructor(options: Required<PublisherOptions>) {
    this.#options = options;
    const { client, fleet, log, watch, deletions } = options;
    this.#store = createShardStore(client, fleet, log);
    this.#writer = new ShardWriter(this.#store, fleet.name);
    this.collector = new ShardCollector({
      store: this.#store,
      prefix: shardName(fleet.name, ''),
      watch,
      rate: deletions,
    });
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

  async surpass(report: ReportedRevision, options: Options): Promise<Published | undefined> {
    const wanted = this.#wanted;
    if (wanted === undefined) return undefined;
    return this.#afresh(async () => {
      this.#base = await this.#open(options);
      const isAhead = this.memory.isAhead(report);
      const newEpoch = isAhead ? this.memory.nextEpoch(report) : undefined;
      const { epoch, version } = report;
      if (isAhead) this.#options.log.warn({ reported: { epoch, version }, place: newEpoch }, 'A new epoch was started');
      return toPublished(await this.#write(wanted, this.#base, options, newEpoch), wanted.split);
    });
  }

  async repair(options: Options): Promise<Repaired> {
    const wanted = this.#wanted;
    if (wanted === undefined) return { restored: 0 };
    const { shards } = wanted.split;
    return this.#afresh(async () => {
      const { watch, log } = this.#options;
      const isLive = watch?.isLive ?? false;
      if (watch !== undefined && isLive) this.#writer.compare(shards, watch);
      else this.#writer.lookAgain(shards);
      if (!isLive || !this.#isAsWritten()) this.#base = undefined;
      this.#base ??= await this.#open(options);
      const outcome = await this.#write(wanted, this.#base, options);
      const { restored, changed } = outcome;
      if (restored > 0 || changed) log.warn({ restored }, 'What was published had changed and was put back');
      const published = changed ? toPublished(outcome, wanted.split) : undefined;
      return { restored: restored + (changed ? 1 : 0), published };
    });
  }

  /** Whether the manifest and the journal are those that were written last, as far as the watch shows. */
  #isAsWritten(): boolean {
    const { watch, fleet } = this.#options;
    const watchedVersion = (name: string) => watch?.find({ secret: false }, name)?.resourceVersion;
    return (
      this.#base !== undefined &&
      watchedVersion(manifestName(fleet.name)) === this.#base.manifest.resourceVersion &&
      watchedVersion(journalName(fleet.name)) === this.#base.journal.resourceVersion
    );
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
    let journal = await this.#store.readJournal(options);
    if (journal.value.publisher !== identity) {
      journal = await this.#store.writeJournal({ ...journal.value, publisher: identity }, journal, options);
    }
    const manifest = await this.#store.readManifest(options);
    const { lastKnown } = this.#options;
    const knownRevision = lastKnown();
    this.memory.recall([
      revisionIn(journal.value),
      manifest.value.revision,
      ...(knownRevision === undefined ? [] : [knownRevision]),
    ]);
    const { last } = this.memory;
    if (compareRevisions(journal.value, last) < 0) {
      journal = await this.#store.writeJournal({ ...journal.value, ...last }, journal, options);
    }
    return { journal, manifest };
  }

  /** With `newEpoch` it publishes there, also without changes. */
  async #write(
    { split, schemaVersion }: DesiredContent,
    base: Base,
    options: Options,
    newEpoch?: Revision,
  ): Promise<WriteResult> {
    const { manifest, revision: current, isLabelled } = base.manifest.value;
    const plan = planPublish(manifest, split.shards, { fleet: this.#options.fleet.name, schemaVersion });
    const digest = contentDigest({ schemaVersion, shards: plan.refs });
    const restored = await this.#writer.restore(plan.kept, this.#namedBy, options);
    const isLast = compareRevisions(current, this.memory.last) === 0;
    if (!plan.changed && isLast && isLabelled && newEpoch === undefined) {
      this.memory.advance(current, digest);
      return { ...current, digest, changed: false, restored };
    }
    const { epoch, version } = newEpoch ?? this.memory.next();
    const journal = await this.#announce(plan, { epoch, version }, base, options);
    this.memory.advance({ epoch, version }, digest);
    await this.#writer.put(plan.added, this.#namedBy, options);
    const next: Manifest = {
      epoch,
      version,
      digest,
      schemaVersion: { ...schemaVersion },
      shards: [...plan.refs],
      publishedAt: this.#options.clock.wallMs(),
      publisher: this.#options.identity,
    };
    this.#base = { journal, manifest: await this.#store.writeManifest(next, base.manifest, options) };
    this.#writer.keepOnly(split.shards);
    return { epoch, version, digest, changed: true, restored };
  }

  /**
   * Writes into the journal what is about to be created and what is no longer named, so that it can be deleted later.
   */
  #announce(
    { refs }: PublishPlan,
    revision: Revision,
    { journal, manifest }: Base,
    options: Options,
  ): Promise<Stored<Journal>> {
    const { clock, identity } = this.#options;
    const before = manifest.value.manifest?.shards ?? [];
    const shards = rowsBefore(journal.value.shards, { before, after: refs }, clock.wallMs());
    return this.#store.writeJournal({ ...journal.value, ...revision, publisher: identity, shards }, journal, options);
  }

  get #namedBy(): string {
    const { epoch, version } = this.memory.last;
    return `${this.#options.identity}/${epoch}.${version}`;
  }

  /**
   * Selects shards, writes the journal, and only then returns them to be deleted as they were: a newer leader has either made
   * the journal write fail, or touches what it needs, which makes the deletion fail.
   */
  async choose(options: Options): Promise<Selection['unused']> {
    if (this.#wanted === undefined) return [];
    return this.#afresh(async () => {
      this.#base ??= await this.#open(options);
      const { manifest, journal } = this.#base;
      const nowMs = this.#options.clock.wallMs();
      const named = manifest.value.manifest?.shards ?? [];
      const { unused, rows } = await this.collector.choose(journal, { named, nowMs }, options);
      if (rows === undefined) return unused;
      const next = { ...journal.value, shards: rows, collectedAtMs: nowMs };
      this.#base = { manifest, journal: await this.#store.writeJournal(next, journal, options) };
      return unused;
    });
  }
}

const revisionIn = ({ epoch, version }: Revision): Revision => ({ epoch, version });

const toPublished = ({ restored: _, ...outcome }: WriteResult, { oversized }: Split): Published => ({
  ...outcome,
  oversized,
});
