/** Looks at a followed batch, and once it has ended counts and charges its rows: docs/behaviour/cost.md#batches-of-providers. */
import { isObject, parseJson } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import type { Answer, Exchange, RowSettlement } from '../../pipeline/index.ts';
import { type OnceRow, type Recorder, settleAnswer } from '../../record/index.ts';
import { piecesOf } from '../../upstream/index.ts';
import { LeaseLost } from '../claims.ts';
import type { FollowedLease } from '../followed-store.ts';
import type { FollowPorts } from './followed-batches.ts';
import { type OwnCallPorts, ownCall } from './own-call.ts';

/** Charges of one batch, which may be told again. */
export interface BatchCharges {
  readonly budgets: RowSettlement['budgets'];
  /** False: the counters of budgets could not be told, or it is not known. */
  tell(): Promise<boolean>;
}

/** All in ms. */
export interface FollowTiming {
  /** Before it is asked for again the first time; each wait is half as long again as the one before. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** After an output could not be read. */
  readonly failedWaitMs: number;
  /** Longest reading of an output: what a provider draws out holds up those of others no longer. */
  readonly readMs: number;
  readonly renewMs: number;
}

export const FOLLOW_TIMING: FollowTiming = {
  firstWaitMs: 15_000,
  maxWaitMs: 900_000,
  failedWaitMs: 3_600_000,
  readMs: 1_800_000,
  renewMs: 3_000,
};

export interface SettlePorts extends FollowPorts, OwnCallPorts {
  readonly recorder: Pick<Recorder, 'finish'>;
  readonly timing: FollowTiming;
  /** `name`: unique for ever; `tryNumber` rises. */
  openCharges(name: string, tryNumber: number): BatchCharges;
}

/** Then it is followed no longer, in ms: providers delete outputs. */
const MAX_AGE_MS = 30 * 86_400_000;
/** After its end, in ms: how long the output of a batch waits for a setting of its account. */
const SETTING_WAIT_MS = 6 * 3_600_000;
const GROWTH = 1.5;
/** Of a workspace, that are known to have ended. */
const MAX_ENDED = 10_000;

/** Rejects with LeaseLost, and where a store is away. */
export async function settleFollowed(lease: FollowedLease, ports: SettlePorts, handOver: CancelSignal): Promise<void> {
  const { now, timing, logger } = ports;
  const { followed } = lease;
  if (now() - followed.createdAt > MAX_AGE_MS) {
    logger.warn(
      factsOf(lease),
      'A batch of a provider has not ended, or its output could not be read: its rows are not counted',
    );
    await lease.end(now(), MAX_ENDED);
    return;
  }
  const run = new Cancellation();
  const stop = (): void => run.cancel(undefined);
  handOver.onCancel(stop);
  let isLost = false;
  const renewing = setInterval(() => {
    void lease.renew(now()).catch((error: unknown) => {
      isLost ||= error instanceof LeaseLost;
      stop();
    });
  }, timing.renewMs);
  try {
    const outcome = await look(lease, ports, run);
    if (isLost) throw new LeaseLost('Another process follows the batch');
    if (outcome === 'counted' || outcome === 'nothing') await lease.end(now(), MAX_ENDED);
    else await lease.later(now() + waitOf(lease, timing, outcome));
  } catch (error) {
    if (!(error instanceof LeaseLost)) await lease.later(now() + timing.failedWaitMs).catch(() => undefined); // the first error counts
    throw error;
  } finally {
    clearInterval(renewing);
    handOver.offCancel(stop);
  }
}

/** `nothing`: there is no output. `running`: there is none yet. `interrupted`: the process ends. `raced`: somebody else has read the output at the same time, or it has changed. */
type Outcome = 'counted' | 'nothing' | 'running' | 'failed' | 'interrupted' | 'raced';

const waitOf = ({ number }: FollowedLease, timing: FollowTiming, outcome: Outcome): number => {
  if (outcome === 'interrupted') return 0;
  if (outcome === 'failed') return timing.failedWaitMs;
  return Math.min(timing.firstWaitMs * GROWTH ** (number - 1), timing.maxWaitMs);
};

const factsOf = ({ followed: { workspace, slug, batch } }: FollowedLease): object => ({
  workspace,
  account: slug,
  batch,
});

async function look(lease: FollowedLease, ports: SettlePorts, signal: CancelSignal): Promise<Outcome> {
  const { followed, number } = lease;
  const { jobs, now } = ports;
  let isRaced = false;
  const charges = ports.openCharges(`batch-${followed.id}`, number);
  const settlement: RowSettlement = {
    budgets: charges.budgets,
    marks: {
      read: (output) => jobs.countedRows(output, followed.id),
      claim: async (output, claim) => {
        const isOurs = await jobs.countRows(output, { ...claim, owner: followed.id, nowMs: now() });
        isRaced ||= !isOurs;
        return isOurs;
      },
    },
  };
  const call = { followed, settlement, signal };
  const state = await ownCall(ports, { ...call, operation: 'getBatch' }, stateOf);
  if (signal.cancelled) return 'interrupted';
  if (state === undefined || !ENDED.has(state.status)) return 'running';
  const charge = async (): Promise<boolean> => {
    if (signal.cancelled || isRaced) return false;
    if (await charges.tell()) return true;
    throw new Error('The counters of budgets could not be told what the rows of a batch have used');
  };
  const read = (answer: Answer, exchange: Exchange) => readOutput(answer, exchange, { ...ports, charge });
  using reading = withinMs(ports.timing.readMs, signal);
  const counting = { ...settlement, once: rowOf(lease, state) };
  const output = { ...call, operation: 'getBatchOutput', signal: reading.signal, settlement: counting } as const;
  const { outcome, setting } = (await ownCall(ports, output, read)) ?? { outcome: 'failed' };
  if (outcome === 'counted') return outcome;
  if (signal.cancelled) return 'interrupted';
  if (isRaced) return 'raced';
  if (setting !== undefined && now() - (state.endedAtMs ?? followed.createdAt) <= SETTING_WAIT_MS) {
    const facts = { ...factsOf(lease), setting };
    ports.logger.warn(
      facts,
      'The output of a batch is not where its account is set to read it: it is looked for again',
    );
    return 'failed';
  }
  if (outcome === 'nothing' && COMPLETED.has(state.status))
    ports.logger.warn(factsOf(lease), 'A batch of a provider has no output that can be read: its rows are not counted');
  return outcome;
}

/** Of the end of the batch, whenever it is read: what the provider says of it counts within the time that a batch is followed. */
function rowOf({ followed: { id, createdAt } }: FollowedLease, { endedAtMs = createdAt }: BatchState): OnceRow {
  const isPlausible = endedAtMs >= createdAt && endedAtMs <= createdAt + MAX_AGE_MS;
  return { name: `batch-${id}`, atMs: Math.floor(isPlausible ? endedAtMs : createdAt) };
}

/** Cancelled after so long, too. */
export function withinMs(ms: number, signal: CancelSignal): Disposable & { readonly signal: CancelSignal } {
  const both = new Cancellation();
  const stop = (): void => both.cancel(undefined);
  const timer = setTimeout(stop, ms);
  signal.onCancel(stop);
  return {
    signal: both,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal.offCancel(stop);
    },
  };
}

/** There are rows. */
const COMPLETED: ReadonlySet<string> = new Set(['completed', 'partially_completed', 'ended', 'succeeded', 'success']);
/** Of providers, in lower case. */
const ENDED: ReadonlySet<string> = new Set([...COMPLETED, 'failed', 'expired', 'cancelled', 'canceled', 'stopped']);

const MAX_STATUS = 64;

interface BatchState {
  /** In lower case. */
  readonly status: string;
  /** Unix time in ms; undefined: the answer does not say it. */
  readonly endedAtMs: number | undefined;
}

/** Undefined: the answer does not say it. */
async function stateOf(answer: Answer): Promise<BatchState | undefined> {
  const { body, status, facts } = answer;
  facts.settlement?.settle({ status, usage: undefined, cost: undefined });
  if (body.kind === 'stream') body.upstream.discard();
  if (body.kind === 'stream' || status !== 200) return undefined;
  try {
    const value = parseJson(body.bytes.toString());
    const text = isObject(value) ? value['status'] : undefined;
    if (!isObject(value) || typeof text !== 'string' || text.length > MAX_STATUS) return undefined;
    return { status: text.toLowerCase(), endedAtMs: endOf(value) };
  } catch {
    return undefined;
  }
}

/** In seconds. */
const ENDS = ['completed_at', 'failed_at', 'expired_at', 'cancelled_at'] as const;

function endOf(batch: Readonly<Record<string, unknown>>): number | undefined {
  const seconds = ENDS.map((name) => batch[name]).find((value) => typeof value === 'number');
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** There is nothing to be counted, now or, unless the error says when, later. */
const NOTHING: ReadonlySet<string> = new Set(['BATCH_OUTPUT_MISSING', 'OPERATION_UNSUPPORTED']);

interface Read {
  readonly outcome: Outcome;
  /** The setting of the account that keeps the output from being read. */
  readonly setting?: string | undefined;
}

function outcomeOf(error: AppError | undefined): Read {
  if (!NOTHING.has(error?.code ?? '')) return { outcome: 'failed' };
  if (error?.retryAfterMs !== undefined) return { outcome: 'running' };
  return { outcome: 'nothing', setting: error?.code === 'BATCH_OUTPUT_MISSING' ? error.param : undefined };
}

interface ReadPorts extends Pick<SettlePorts, 'recorder'> {
  /** False: the rows are not ours to be counted, or not now. */
  charge(): Promise<boolean>;
}

/** The bytes are counted while they pass, and kept nowhere. The record is made of what was charged, and of nothing else. */
async function readOutput(answer: Answer, exchange: Exchange, { recorder, charge }: ReadPorts): Promise<Read> {
  const { body, facts, status } = answer;
  const firstByteMs = performance.now();
  if (body.kind !== 'stream' || status !== 200) {
    facts.settlement?.settle({ status, usage: undefined, cost: undefined });
    if (body.kind === 'stream') body.upstream.discard();
    return status === 200 ? { outcome: 'nothing' } : outcomeOf(facts.error);
  }
  const stop = (): void => body.upstream.cancel(new AppError('DRAINING'));
  exchange.signal.onCancel(stop);
  let bytes = 0;
  try {
    for await (const piece of piecesOf(body.upstream)) bytes += piece.length;
  } catch (error) {
    facts.settlement?.settle({ status, usage: undefined, cost: undefined });
    if (error instanceof AppError) return { outcome: 'failed' };
    throw error;
  } finally {
    exchange.signal.offCancel(stop);
  }
  const finished = { exchange, answer, sent: { firstByteMs, bytes, error: undefined } };
  settleAnswer(finished);
  if (!(await charge())) return { outcome: 'raced' };
  recorder.finish(finished);
  return { outcome: 'counted' };
}
