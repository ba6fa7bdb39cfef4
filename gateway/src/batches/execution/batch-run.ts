/** One batch from where it is to its end, or until another process goes on: docs/behaviour/managed-batches.md#how-rows-run. */
import type { Readable } from 'node:stream';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import { newId } from '../../lib/random.ts';
import { objectKey, type StorePorts } from '../api/files.ts';
import { type AtProviderPorts, lookAtProvider, type ProviderTiming, planInput } from '../at-provider/index.ts';
import { LeaseLost } from '../claims.ts';
import type { Lease } from '../job-store.ts';
import { type BatchProgress, hasEnded, INPUT_GONE } from '../records.ts';
import { checkInput } from './check-input.ts';
import { BadRow, type InputRow, inputRows } from './input-rows.ts';
import { type EndReason, writeResults } from './results.ts';
import type { CallRow, RowResult } from './row-call.ts';
import { createSlots, type Slots } from './slots.ts';
import { waitFor } from './wait.ts';

export interface RunPorts extends StorePorts {
  readonly json: JsonLimits;
  readonly call: CallRow;
  readonly atProvider: AtProviderPorts;
  /** Of the process. */
  readonly slots: Slots;
  readonly timing: RunTiming;
  openMemory(): ByteAccount;
}

/** All in ms. */
export interface RunTiming extends ProviderTiming {
  /** How often a lease is renewed, and for how long it holds without that. */
  readonly renewMs: number;
  readonly leaseMs: number;
  /** The first wait before a row is asked for again; the next ones are twice as long. */
  readonly retryMs: number;
  /** Longest wait for room in limits and budgets. */
  readonly maxPauseMs: number;
}

/** Why no more rows are begun: why the batch ends, or what stands in the way of its end. */
type Stop = EndReason | { readonly kind: 'handed-over' } | { readonly kind: 'broken'; readonly error: unknown };

const MAX_RETRIES = 3;
/** A row in memory: its bytes, its value, and what is written of it. */
const COPIES = 3;
const MEMORY_WAIT_MS = 250;

/** Rejects when a store fails or the lease is lost: then it goes on later, here or elsewhere. */
export function runBatch(lease: Lease, ports: RunPorts, handOver: CancelSignal): Promise<void> {
  return new BatchRun(lease, ports).run(handOver);
}

class BatchRun {
  readonly #lease: Lease;
  readonly #ports: RunPorts;
  readonly #stop = new Cancellation();
  /** The process ends, or somebody else has the lease: also where it was cancelled before. */
  readonly #leave = new Cancellation();
  readonly #probe = createSlots(1);
  #progress: BatchProgress;
  #answered = new Map<number, boolean>();
  /** Why the batch of a provider has ended; undefined: all rows have an answer. */
  #reason: EndReason | undefined;
  #pausedUntil = 0;
  /** Refusals by limits, one after the other. */
  #refusals = 0;
  #renewedMs: number;
  #beating: Promise<void> = Promise.resolve();

  constructor(lease: Lease, ports: RunPorts) {
    this.#lease = lease;
    this.#ports = ports;
    this.#progress = lease.batch.progress;
    this.#renewedMs = ports.now();
  }

  async run(handOver: CancelSignal): Promise<void> {
    const onHandOver = (): void => this.#end({ kind: 'handed-over' });
    handOver.onCancel(onHandOver);
    const timer = setInterval(() => {
      this.#beating = this.#beating.then(() => this.#beat());
    }, this.#ports.timing.renewMs);
    try {
      await this.#beat();
      if (this.#progress.status === 'validating' && !this.#isOver()) await this.#validate();
      const laterAt = await this.#atProvider();
      if (laterAt !== undefined) return await this.#lease.release(laterAt);
      if (!hasEnded(this.#progress) && this.#progress.atProvider === undefined) await this.#work();
    } finally {
      clearInterval(timer);
      handOver.offCancel(onHandOver);
      await this.#beating;
    }
    await this.#finish();
  }

  /** Looks at the batch of a provider, if there is one; when it is looked at again (Unix ms), unless it is over. */
  async #atProvider(): Promise<number | undefined> {
    if (this.#progress.atProvider === undefined || hasEnded(this.#progress)) return undefined;
    this.#answered = new Map(await this.#lease.answeredRows());
    const looking = lookAtProvider(this.#ports.atProvider, {
      ...{ lease: this.#lease, timing: this.#ports.timing, signal: this.#leave, answered: this.#answered },
      progress: () => this.#progress,
      save: (progress) => this.#save(progress),
      rows: () => this.#inputRows(),
      isAllowed: this.#ports.settings.atProviders,
      isCancelled: () => (this.#stop.reason as Stop | undefined)?.kind === 'cancelled', // only `#end` cancels
      now: this.#ports.now,
    });
    const looked = await looking.catch((error: unknown) => {
      if (!this.#leave.cancelled) throw error;
    });
    if (this.#leave.cancelled || looked === undefined) return undefined;
    if (looked.kind === 'later') return looked.atMs;
    if (looked.kind === 'anew') return 0;
    if (looked.kind === 'own') return undefined;
    this.#count([...this.#answered.values()].filter(Boolean).length);
    this.#reason = looked.reason;
    return undefined;
  }

  async #save(progress: BatchProgress): Promise<void> {
    await this.#lease.save(progress);
    this.#progress = progress;
  }

  async #inputRows(): Promise<AsyncGenerator<InputRow | BadRow> | undefined> {
    const content = await this.#content();
    return content && this.#rows(content);
  }

  async #finish(): Promise<void> {
    if (hasEnded(this.#progress)) return;
    const atProvider = this.#progress.atProvider !== undefined;
    const stop = (atProvider ? this.#leave.reason : this.#stop.reason) as Stop | undefined; // only `#end` cancels
    if (stop?.kind === 'handed-over') return await this.#lease.release();
    if (stop?.kind === 'broken') throw stop.error;
    const renewing = setInterval(() => {
      this.#beating = this.#beating.then(() => this.#renew());
    }, this.#ports.timing.renewMs);
    try {
      const status = atProvider ? this.#progress.status : 'finalizing';
      await this.#save({ ...this.#progress, status, finalizingAt: this.#ports.now() });
      const own = { lease: this.#lease, answered: this.#answered, content: () => this.#content() };
      await writeResults({ ...this.#ports, ...own }, atProvider ? this.#reason : stop, this.#progress);
    } finally {
      clearInterval(renewing);
      await this.#beating;
    }
  }

  /** The first reason counts. */
  #end(stop: Stop): void {
    this.#stop.cancel(stop);
    if (stop.kind === 'handed-over' || stop.kind === 'broken') this.#leave.cancel(stop);
  }

  #isOver(): boolean {
    if (this.#ports.now() >= this.#lease.batch.order.expiresAt) this.#end({ kind: 'expired' });
    return this.#stop.cancelled;
  }

  /** Never rejects. */
  async #beat(): Promise<void> {
    await this.#renew();
    if (this.#stop.cancelled || this.#progress.status !== 'in_progress') return;
    await this.#lease.save(this.#progress).catch((error: unknown) => this.#noteFailure(error));
  }

  async #renew(): Promise<void> {
    try {
      const nowMs = this.#ports.now();
      const { cancellingAt } = await this.#lease.renew(nowMs);
      this.#renewedMs = nowMs;
      if (cancellingAt !== undefined) this.#end({ kind: 'cancelled' });
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  /** A store may be away for a moment; nobody else has the lease until it is over. */
  #noteFailure(error: unknown): void {
    const { now, timing } = this.#ports;
    const isHeld = now() < this.#renewedMs + timing.leaseMs - timing.renewMs;
    if (error instanceof LeaseLost || !isHeld) this.#end({ kind: 'broken', error });
  }

  async #content(): Promise<Readable | undefined> {
    const { workspace, inputFileId: id } = this.#lease.batch.order;
    return await this.#ports.objects.get(objectKey({ workspace, id }));
  }

  #rows(content: AsyncIterable<Buffer>): AsyncGenerator<InputRow | BadRow> {
    const { settings, json } = this.#ports;
    return inputRows(content, { ...settings, json, endpoint: this.#lease.batch.order.endpoint });
  }

  async #validate(): Promise<void> {
    const content = await this.#content();
    const { total, problems } =
      content === undefined ? { total: 0, problems: [INPUT_GONE] } : await checkInput(this.#rows(content));
    const nowMs = this.#ports.now();
    if (problems.length > 0)
      return await this.#save({ ...this.#progress, status: 'failed', problems: [...problems], endedAt: nowMs });
    const place = await this.#place();
    if (place !== undefined) await this.#save({ ...this.#progress, ...place, total, inProgressAt: nowMs });
  }

  /** Who asks for the rows; undefined: the process ends. */
  async #place(): Promise<Pick<BatchProgress, 'status' | 'atProvider' | 'ownReason'> | undefined> {
    const { settings, atProvider, now } = this.#ports;
    const { order } = this.#lease.batch;
    if (order.completionWindow !== '24h') return { status: 'in_progress', ownReason: 'the batch is immediate' };
    if (!settings.atProviders) return { status: 'in_progress', ownReason: 'the gateway uses no batches of providers' };
    const marker = newId('gwb_', 24);
    const rows = () => this.#inputRows();
    const isStopped = () => this.#leave.cancelled;
    const planned = await planInput({ order, plan: atProvider.plan, rows, isStopped }, marker);
    if (planned === undefined) return undefined;
    if (planned.kind === 'own') return { status: 'in_progress', ownReason: planned.reason };
    const { provider, account, config } = planned.target;
    return {
      status: 'submitting',
      atProvider: {
        ...{ provider, slug: account.slug, config: config ?? null, marker, bytes: planned.bytes, begunAt: now() },
        ...{ file: null, calledAt: null, id: null, createdAt: null, status: null, counts: null },
      },
    };
  }

  async #work(): Promise<void> {
    this.#answered = new Map(await this.#lease.answeredRows());
    this.#count([...this.#answered.values()].filter(Boolean).length);
    const content = this.#isOver() ? undefined : await this.#content();
    if (content === undefined) return this.#end({ kind: 'failed', problem: INPUT_GONE });
    const memory = this.#ports.openMemory();
    const running = new Set<Promise<void>>();
    try {
      for await (const row of this.#rows(content)) {
        if (row instanceof BadRow) throw row; // the file was checked
        if (this.#answered.has(row.row)) continue;
        await this.#untilRoom(running, { bytes: row.bytes.length * COPIES, memory });
        if (this.#isOver()) break;
        const task = this.#answer(row)
          .catch((error: unknown) => this.#end({ kind: 'broken', error }))
          .finally(() => {
            running.delete(task);
            memory.give(row.bytes.length * COPIES);
          });
        running.add(task);
      }
    } finally {
      await Promise.all(running);
      memory.close();
    }
  }

  async #untilRoom(
    running: ReadonlySet<Promise<void>>,
    { bytes, memory }: { readonly bytes: number; readonly memory: ByteAccount },
  ): Promise<void> {
    while (running.size >= this.#ports.settings.rowsPerBatch) await Promise.race(running);
    while (!this.#isOver() && !memory.take(bytes)) await waitFor(MEMORY_WAIT_MS, this.#stop);
  }

  async #answer(row: InputRow): Promise<void> {
    const { order } = this.#lease.batch;
    for (let retries = 0; ; ) {
      const result = await this.#call(row);
      if (result === undefined) return;
      if (result.kind === 'interrupted') return this.#end({ kind: 'handed-over' });
      if (result.kind === 'no-caller') return this.#end({ kind: 'failed', problem: result.problem });
      if (order.completionWindow === '24h' && isRefused(result)) {
        this.#pause(result.retryAfterMs);
        continue;
      }
      this.#refusals = 0;
      if (!isRetryable(result.status) || retries >= MAX_RETRIES) return await this.#record(row, result);
      retries += 1;
      await waitFor(this.#delay(retries, result.retryAfterMs), this.#stop);
    }
  }

  /** While limits refuse rows, one of them asks whether there is room again. */
  async #call(row: InputRow): Promise<RowResult | undefined> {
    if (this.#refusals === 0) return await this.#callNow(row);
    return await this.#probe.run(async () => {
      const pauseMs = Math.min(this.#pausedUntil, this.#lease.batch.order.expiresAt) - this.#ports.now();
      if (pauseMs > 0) await waitFor(pauseMs, this.#stop);
      return await this.#callNow(row);
    });
  }

  async #callNow(row: InputRow): Promise<RowResult | undefined> {
    const { slots, call } = this.#ports;
    return await slots.run(async () => (this.#isOver() ? undefined : await call(this.#lease.batch.order, row)));
  }

  #pause(retryAfterMs: number | undefined): void {
    const nowMs = this.#ports.now();
    if (nowMs < this.#pausedUntil) return; // one of those that were under way
    this.#refusals += 1;
    this.#pausedUntil = nowMs + this.#delay(this.#refusals, retryAfterMs);
  }

  #delay(times: number, retryAfterMs: number | undefined): number {
    const { retryMs, maxPauseMs } = this.#ports.timing;
    return Math.min(retryAfterMs ?? retryMs * 2 ** (times - 1), maxPauseMs);
  }

  async #record(row: InputRow, result: Extract<RowResult, { readonly kind: 'answered' }>): Promise<void> {
    const succeeded = result.status >= 200 && result.status <= 299;
    const [id, customId, requestId] = [newId('gw_batch_req_', 24), row.customId, result.requestId].map((text) =>
      JSON.stringify(text),
    );
    const response = `{"status_code":${result.status},"request_id":${requestId},"body":${result.body}}`;
    const line = `{"id":${id},"custom_id":${customId},"response":${response},"error":null}`;
    await this.#lease.addAnswer({ row: row.row, succeeded, line });
    this.#answered.set(row.row, succeeded);
    this.#count(succeeded ? this.#progress.completed + 1 : this.#progress.completed);
  }

  #count(completed: number): void {
    this.#progress = { ...this.#progress, completed, failed: this.#answered.size - completed };
  }
}

type Answered = Extract<RowResult, { readonly kind: 'answered' }>;

/** For the moment: there is no room in a limit or budget, here or at the provider. */
const isRefused = ({ status, code }: Answered): boolean =>
  status === 429 || (code?.endsWith('_BUDGET_EXHAUSTED') ?? false);

const isRetryable = (status: number): boolean => status === 408 || status === 429 || status >= 500;
