/** One look at a batch of a provider that runs the rows of a batch of the gateway: docs/behaviour/managed-batches.md#batches-of-a-provider. */
import { isObject } from '@gatehouse/crds';
import type { CancelSignal } from '../../lib/cancellation.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import { StoreFailure } from '../../object-storage/index.ts';
import { callerOfKey, type FollowedBatches } from '../../pipeline/index.ts';
import type { RowBatches } from '../../providers/contract.ts';
import type { Recorder } from '../../record/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { LeaseLost } from '../claims.ts';
import type { BadRow, InputRow } from '../execution/input-rows.ts';
import type { EndReason } from '../execution/results.ts';
import { type PlanBatchRow, rowMetadata } from '../execution/row-call.ts';
import { withinMs } from '../followed/index.ts';
import type { Lease } from '../job-store.ts';
import { type BatchProblem, type BatchProgress, INPUT_GONE, keyProblem, type ProviderBatch } from '../records.ts';
import { type ProviderCallPorts, ProviderCalls } from './calls.ts';
import type { HandedContents } from './handed.ts';
import { addMissing, type OutputOptions, readOutput, SILENT_READ } from './output.ts';
import { type ProviderTiming, type Submitted, submit, waitOf } from './submit.ts';

export interface AtProviderPorts extends ProviderCallPorts {
  readonly plan: PlanBatchRow;
  readonly handed: HandedContents;
  readonly followed: FollowedBatches;
  readonly recorder: Pick<Recorder, 'finish'>;
  readonly json: JsonLimits;
  readonly maxResponseBytes: number;
}

export interface AtProviderRun {
  readonly lease: Lease;
  readonly timing: ProviderTiming;
  /** The calls end: the process does, or somebody else has the lease. */
  readonly signal: CancelSignal;
  readonly answered: Map<number, boolean>;
  progress(): BatchProgress;
  save(progress: BatchProgress): Promise<void>;
  rows(): Promise<AsyncIterable<InputRow | BadRow> | undefined>;
  /** Batches may be created at providers. */
  readonly isAllowed: boolean;
  isCancelled(): boolean;
  now(): number;
}

export type Looked =
  | { readonly kind: 'later'; readonly atMs: number }
  /** The gateway asks for the rows itself. */
  | { readonly kind: 'own' }
  /** The target is chosen anew. */
  | { readonly kind: 'anew' }
  /** Undefined: all rows have an answer. */
  | { readonly kind: 'ended'; readonly reason: EndReason | undefined };

const HOUR_MS = 3_600_000;
/** After it was created, in ms: the window of providers is 24 hours, and they take a while to end. */
const OVERDUE_MS = 26 * HOUR_MS;
/** Then it is given up: providers delete outputs. */
const GIVEN_UP_MS = 8 * 24 * HOUR_MS;
/** Outputs are large: what could not be read is not read again every minute. */
const OUTPUT_WAITS = 15;

export async function lookAtProvider(ports: AtProviderPorts, run: AtProviderRun): Promise<Looked> {
  using looking = withinMs(run.timing.readMs, run.signal);
  const calls = new ProviderCalls(ports, run.lease.batch.order, looking.signal);
  return await new Look(ports, run, calls).look();
}

class Look {
  readonly #ports: AtProviderPorts;
  readonly #run: AtProviderRun;
  readonly #calls: ProviderCalls;

  constructor(ports: AtProviderPorts, run: AtProviderRun, calls: ProviderCalls) {
    this.#ports = ports;
    this.#run = run;
    this.#calls = calls;
  }

  async look(): Promise<Looked> {
    const { atProvider: at } = this.#run.progress();
    if (at === undefined) return { kind: 'own' };
    if (at.id !== null) return await this.#poll(at, at.id);
    const { order } = this.#run.lease.batch;
    if (at.calledAt === null && this.#run.now() >= order.expiresAt) return await this.#ended(at, { kind: 'expired' });
    if (at.calledAt === null && !this.#run.isAllowed) return await this.#afterSubmit({ kind: 'changed' });
    if (this.#run.now() >= order.expiresAt + HOUR_MS) return ended({ kind: 'failed', problem: UNKNOWN });
    return await this.#afterSubmit(await this.#submit(at));
  }

  async #submit(at: ProviderBatch): Promise<Submitted> {
    const { plan, handed, json, followed } = this.#ports;
    const { lease, rows, timing, isCancelled, now } = this.#run;
    const { order } = lease.batch;
    const own = { order, plan, handed, json, rows, timing, isCancelled, now, calls: this.#calls };
    const ports = {
      ...own,
      batches: this.#batchesOf(at),
      save: (next: ProviderBatch) => this.#save(next),
      adopted: async (found: ProviderBatch, batch: string): Promise<void> => {
        const snapshot = this.#ports.snapshots.current;
        const account = snapshot?.provider(order.workspace, found.slug)?.id;
        const caller = snapshot && callerOfKey(order.keyId, order.workspace, snapshot);
        if (account === undefined) return; // there is nothing left to be charged
        const key = caller?.key;
        const { slug, config } = found;
        await followed.add({
          ...{ account, batch, slug, workspace: order.workspace, traceId: order.id, config: config ?? undefined },
          key: { id: order.keyId, name: key?.name ?? order.keyId, user: key?.user },
          metadata: {
            ...JSON.parse(rowMetadata(order)),
            ...key?.defaults.metadata,
            ...caller?.workspace.defaults.metadata,
          },
        });
      },
    };
    return await submit(ports, at, this.#run.progress());
  }

  #batchesOf({ slug, provider: id }: ProviderBatch): RowBatches | undefined {
    const { workspace } = this.#run.lease.batch.order;
    const account = this.#ports.snapshots.current?.provider(workspace, slug);
    return account?.provider.id === id ? account.provider.rowBatches : undefined;
  }

  async #save(at: ProviderBatch): Promise<ProviderBatch> {
    const progress = this.#run.progress();
    const isThere = at.id !== null;
    await this.#run.save({ ...progress, status: isThere ? 'at_provider' : 'submitting', atProvider: at });
    return at;
  }

  async #afterSubmit(submitted: Submitted): Promise<Looked> {
    const { atProvider: at, ...progress } = this.#run.progress();
    if (submitted.kind !== 'created' && submitted.kind !== 'later') await this.#deleteFile(at);
    switch (submitted.kind) {
      case 'created':
        return this.#later(submitted.at);
      case 'later':
        return submitted;
      case 'cancelled':
        return ended({ kind: 'cancelled' });
      case 'failed':
        return ended(submitted);
      case 'changed':
        await this.#run.save({ ...progress, status: 'validating', inProgressAt: null });
        return { kind: 'anew' };
      case 'own':
        await this.#run.save({ ...progress, status: 'in_progress', ownReason: submitted.reason });
        return { kind: 'own' };
    }
  }

  async #poll(at: ProviderBatch, id: string): Promise<Looked> {
    const batch = batchAt(id);
    const told = await this.#calls.ask(at, { operation: 'getBatch', ...batch });
    if (told.kind === 'refused' && told.status === 404) return ended({ kind: 'failed', problem: GONE });
    if (told.kind === 'no-key') return ended({ kind: 'failed', problem: keyProblem(told.code) });
    const now = this.#run.now();
    const createdAt = at.createdAt ?? at.begunAt;
    if (told.kind !== 'good') {
      return now - createdAt > GIVEN_UP_MS ? ended({ kind: 'failed', problem: GONE }) : this.#later(at);
    }
    const { status, counts } = stateOf(told.value, at);
    const next = await this.#saveState({ ...at, status, counts });
    const key = this.#keyProblem();
    const isOver = ENDED.has(status);
    const isUnwanted = this.#run.isCancelled() || key !== undefined || now - createdAt > OVERDUE_MS;
    const isCancelled = !isOver && isUnwanted && (await this.#cancel(at, id));
    if (key !== undefined && (isOver || isCancelled)) return await this.#ended(at, { kind: 'failed', problem: key });
    return isOver ? await this.#end(next, told.value) : this.#later(next);
  }

  async #saveState(at: ProviderBatch): Promise<ProviderBatch> {
    const progress = this.#run.progress();
    const counts = at.counts ?? { completed: 0, failed: 0 };
    const total = Math.max(progress.total, 0);
    const completed = Math.min(counts.completed, total);
    const failed = Math.min(counts.failed, total - completed);
    await this.#run.save({ ...progress, status: 'at_provider', completed, failed, atProvider: at });
    return at;
  }

  #keyProblem(): BatchProblem | undefined {
    const snapshot = this.#ports.snapshots.current;
    const { keyId, workspace } = this.#run.lease.batch.order;
    if (snapshot === undefined) return undefined;
    const caller = callerOfKey(keyId, workspace, snapshot);
    if (caller === undefined) return keyProblem('key_revoked');
    return this.#run.now() >= caller.key.expiresAtMs ? keyProblem('key_expired') : undefined;
  }

  async #end(at: ProviderBatch, batch: JsonObject): Promise<Looked> {
    const { json, recorder, maxResponseBytes } = this.#ports;
    const { lease, answered, rows } = this.#run;
    const { order } = lease.batch;
    const account = this.#ports.snapshots.current?.provider(order.workspace, at.slug)?.id;
    const isFollowed = account !== undefined && (await this.#ports.followed.has({ account, batch: at.id ?? '' }));
    const options: OutputOptions = {
      ...{ calls: this.#calls, at, order, json, recorder, isFollowed, answered, rows },
      maxLineBytes: maxResponseBytes,
      add: async (answer) => {
        await lease.addAnswer(answer);
        answered.set(answer.row, answer.succeeded);
      },
    };
    const files = [batch['output_file_id'], batch['error_file_id']].filter((file) => typeof file === 'string');
    try {
      const read = await readOutput(files, options);
      if (read === 'input-gone' && answered.size < this.#run.progress().total)
        return await this.#ended(at, { kind: 'failed', problem: INPUT_GONE });
    } catch (error) {
      const isLate = this.#run.now() - (at.createdAt ?? at.begunAt) > GIVEN_UP_MS;
      if (isLate && !this.#run.signal.cancelled) return ended({ kind: 'failed', problem: GONE });
      if (!isOwnTrouble(error)) await lease.release(this.#nextAt(at, OUTPUT_WAITS)).catch(() => undefined); // the first error counts
      throw error;
    }
    const reason = reasonOf(at, batch);
    if (reason === undefined) await addMissing(options);
    return await this.#ended(at, reason);
  }

  /** Whether the provider has heard of it. */
  async #cancel(at: ProviderBatch, id: string): Promise<boolean> {
    const call = { operation: 'cancelBatch', ...cancelAt(id), method: 'POST', settlement: SILENT_READ } as const;
    const told = await this.#calls.ask(at, call);
    return told.kind === 'good' || told.kind === 'refused';
  }

  async #ended(at: ProviderBatch, reason: EndReason | undefined): Promise<Looked> {
    await this.#deleteFile(at);
    return ended(reason);
  }

  /** Nothing needs the input at the provider any more. */
  async #deleteFile(at: ProviderBatch | undefined): Promise<void> {
    if (at === undefined || at.file === null) return;
    const call = { operation: 'deleteFile', ...fileOf(at.file), method: 'DELETE', settlement: SILENT_READ } as const;
    await this.#calls.ask(at, call);
  }

  #later(at: ProviderBatch): Looked {
    return { kind: 'later', atMs: this.#nextAt(at) };
  }

  /** Unix ms. `times`: how often the longest wait of a poll fits into that here. */
  #nextAt({ createdAt }: ProviderBatch, times = 1): number {
    const { now, timing } = this.#run;
    return now() + waitOf(timing, now() - (createdAt ?? now()), times);
  }
}

const isOwnTrouble = (error: unknown): boolean => error instanceof StoreFailure || error instanceof LeaseLost;

const ended = (reason: EndReason | undefined): Looked => ({ kind: 'ended', reason });

const batchAt = (id: string) => ({
  path: `/v1/batches/${encodeURIComponent(id)}`,
  route: { batch_id: encodeURIComponent(id) },
});
const cancelAt = (id: string) => ({ ...batchAt(id), path: `${batchAt(id).path}/cancel` });
const fileOf = (id: string) => ({
  path: `/v1/files/${encodeURIComponent(id)}`,
  route: { file_id: encodeURIComponent(id) },
});

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);
const MAX_STATUS = 64;

function stateOf(batch: JsonObject, { counts: before }: ProviderBatch) {
  const { status, request_counts: counts } = batch;
  const count = (name: string): number => {
    const value = isObject(counts) ? counts[name] : undefined;
    return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0;
  };
  const read = { total: count('total'), completed: count('completed'), failed: count('failed') };
  return {
    status: typeof status === 'string' ? status.toLowerCase().slice(0, MAX_STATUS) : 'unknown',
    counts: isObject(counts) ? read : before,
  };
}

function reasonOf({ status }: ProviderBatch, batch: JsonObject): EndReason | undefined {
  if (status === 'expired' || status === 'cancelled') return { kind: status };
  return status === 'failed' ? { kind: 'failed', problem: problemOf(batch) } : undefined;
}

/** Units: characters. */
const MAX_TEXT = 500;

/** The first of those that the provider names. */
function problemOf({ errors }: JsonObject): BatchProblem {
  const list = isObject(errors) && Array.isArray(errors['data']) ? errors['data'] : [];
  const first: unknown = list[0];
  const text = (name: string): string | undefined => {
    const value = isObject(first) ? first[name] : undefined;
    return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : undefined;
  };
  return {
    code: text('code') ?? 'provider_batch_failed',
    message: text('message') ?? 'The batch of the provider has failed',
    param: text('param') ?? null,
    line: null,
  };
}

const GONE: BatchProblem = {
  code: 'provider_batch_missing',
  message: 'The provider does not have the batch or its output any more',
  param: null,
  line: null,
};
const UNKNOWN: BatchProblem = {
  code: 'provider_batch_unknown',
  message: 'It is not known whether the provider has created the batch: another one was not created',
  param: null,
  line: null,
};
