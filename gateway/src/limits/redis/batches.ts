import { type RedisConnection, runScript, StoreUnavailable } from '../../store/index.ts';
import type { Denial } from '../limiter.ts';
import { answer, Batch, decode, type Encoded, encode, type Grant } from './batch.ts';
import type { Lot, RedisList } from './lot.ts';
import { COUNT } from './scripts.ts';

export interface BatchesOptions {
  readonly connection: RedisConnection;
  readonly timeoutMs: number | undefined;
  readonly processId: string;
  readonly leaseMs: number;
  /** `callers`: windows follow the time that calls name. */
  readonly clock: 'redis' | 'callers';
  /** Called for each call that failed with corrections. */
  onError(error: unknown): void;
}

/** Demands and corrections of one call: bounds how long Redis is busy with it. */
const MAX_SIZE = 1_000;
/** Requests that wait for an answer. */
const MAX_WAITING = 10_000;
/** Lots whose corrections Redis has not got: those of a longer outage are lost from the oldest. */
const MAX_UNSENT = 10_000;

/** Calls of limits to Redis: what one turn of the event loop asks for and corrects travels together. */
export class Batches {
  readonly #options: BatchesOptions;
  /** By owner of the counters in a cluster; one for all elsewhere. */
  readonly #open = new Map<string, Batch>();
  /** With the time of their batch. */
  readonly #unsent = new Map<Lot, number>();
  readonly #underWay = new Set<Batch>();
  #waiting = 0;
  #isPlanned = false;

  constructor(options: BatchesOptions) {
    this.#options = options;
  }

  /** Rejects with StoreUnavailable; what Redis has granted nevertheless is returned. */
  reserve(list: RedisList, takes: boolean, nowMs: number): Promise<Grant | Denial> {
    if (this.#waiting >= MAX_WAITING) return Promise.reject(new StoreUnavailable('busy'));
    this.#waiting += 1;
    return new Promise((resolve, reject) => this.#batchFor(list, nowMs).add(list, takes, { resolve, reject }));
  }

  /** Sends the corrections of the lot, later where Redis has certainly not applied them. Resolves after the first try. */
  settle(lot: Lot, nowMs: number): Promise<void> {
    const batch = this.#batchFor(lot.list, nowMs);
    batch.addLot(lot);
    return batch.ended.promise;
  }

  /** Tries again to send what could not be sent. */
  resume(): void {
    for (const [lot, nowMs] of this.#unsent) void this.settle(lot, nowMs); // never rejects
    this.#unsent.clear();
  }

  /** Sends what waits for its turn. Resolves when each call was answered or has failed. */
  async finish(): Promise<void> {
    this.resume();
    this.#sendAll();
    await Promise.all(Array.from(this.#underWay, ({ ended }) => ended.promise));
  }

  #batchFor({ slot }: RedisList, nowMs: number): Batch {
    const { connection, clock } = this.#options;
    const owner = connection.isCluster ? slot : '';
    const known = this.#open.get(owner);
    if (known !== undefined && known.size < MAX_SIZE && (clock === 'redis' || known.nowMs === nowMs)) return known;
    if (known !== undefined) void this.#send(known); // never rejects
    const batch = new Batch(nowMs);
    this.#open.set(owner, batch);
    if (!this.#isPlanned) setImmediate(this.#sendAll);
    this.#isPlanned = true;
    return batch;
  }

  readonly #sendAll = (): void => {
    this.#isPlanned = false;
    const batches = [...this.#open.values()];
    this.#open.clear();
    for (const batch of batches) void this.#send(batch); // never rejects
  };

  async #send(batch: Batch): Promise<void> {
    const { connection, timeoutMs, processId, leaseMs, clock } = this.#options;
    const encoded = encode(batch, [clock === 'callers' ? batch.nowMs : '', processId, leaseMs]);
    this.#underWay.add(batch);
    const onLate = (reply: unknown): void => this.#giveBack(batch, encoded, reply);
    try {
      const reply = await runScript(connection, COUNT, encoded, { timeoutMs, onLate });
      decode(batch, encoded, reply).forEach(answer);
    } catch (error) {
      this.#fail(batch, encoded, error);
    }
    for (const { waiters } of batch.groups) this.#waiting -= waiters.length;
    this.#underWay.delete(batch);
    batch.ended.resolve();
  }

  #fail(batch: Batch, { corrections }: Encoded, error: unknown): void {
    for (const { waiters } of batch.groups) for (const { reject } of waiters) reject(error);
    if (corrections.length === 0) return;
    this.#options.onError(error);
    if (wasApplied(error)) return;
    for (const { lot, settlements } of corrections) {
      lot.restore(settlements);
      this.#unsent.set(lot, batch.nowMs);
    }
    for (const oldest of this.#unsent.keys()) {
      if (this.#unsent.size <= MAX_UNSENT) return;
      this.#unsent.delete(oldest);
    }
  }

  /** What was granted to nobody. */
  #giveBack(batch: Batch, encoded: Encoded, reply: unknown): void {
    for (const { group, granted, grant } of decode(batch, encoded, reply)) {
      if (!group.takes || granted === 0) continue;
      grant.lot.end([], group.list.costs, granted);
      if (grant.lot.isDue) void this.settle(grant.lot, batch.nowMs); // never rejects
    }
  }
}

/** Whether it may have been: a correction that is applied twice would return what others have taken. */
const wasApplied = (error: unknown): boolean =>
  !(error instanceof StoreUnavailable) || error.reason === 'timeout' || error.reason === 'failed';
