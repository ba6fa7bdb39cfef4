import { ApiError, type ObjectKey } from '../client/index.ts';
import type { Log } from '../log.ts';
import type { Queue } from '../queue/index.ts';
import { exponentialMs } from '../time/index.ts';
import { faultsOf, type Halt, isPassing, runEnd } from './step-result.ts';

/** How a run ended; a label of metrics. */
export const RUN_OUTCOMES = [
  'done',
  'suspended',
  'wait',
  'stall',
  'retry',
  'fault',
  'conflict',
  'deadline',
  'stopped',
] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

export interface RunResult {
  readonly kind: RunOutcome;
  /** Absent when the status needs no explanation. */
  readonly halt?: Halt | undefined;
  readonly cause?: unknown;
}

/** The result for a thrown value that no step has turned into a halt. */
export function resultOfError(error: unknown): RunResult {
  const end = runEnd(error);
  if (end !== undefined) return { kind: end.why, cause: error };
  if (isPassing(error)) return { kind: 'conflict', cause: error };
  return { kind: error instanceof ApiError ? 'retry' : 'fault', cause: error };
}

export const resultOfHalt = (halt: Halt): RunResult => ({
  kind: halt.kind,
  halt,
  ...('cause' in halt ? { cause: halt.cause } : {}),
});

/** The failure in metrics and logs: the API server's reason, never a message. */
export function failureReason({ kind, cause }: RunResult): string | undefined {
  if (kind === 'deadline') return 'Deadline';
  if (kind === 'fault') return 'InternalError';
  if (kind !== 'retry' && kind !== 'conflict') return undefined;
  return cause instanceof ApiError ? cause.reason : 'Other';
}

/** The first conflict is retried at once, since the cache is slightly behind; later ones after this, in ms. */
const CONFLICT_BACKOFF = { minMs: 100, maxMs: 5_000 };

/** Decides when a key is processed again; one per controller. */
export function createScheduler(queue: Pick<Queue, 'add' | 'retry' | 'forget'>) {
  const conflicts = new Map<ObjectKey, number>();

  const afterConflict = (key: ObjectKey, cause: unknown): void => {
    const before = conflicts.get(key) ?? 0;
    conflicts.set(key, before + 1);
    const asked = cause instanceof ApiError ? (cause.retryAfterMs ?? 0) : 0;
    const backoffMs = before === 0 ? 0 : exponentialMs(before - 1, CONFLICT_BACKOFF);
    queue.add(key, { afterMs: Math.max(asked, backoffMs) });
  };

  return (key: ObjectKey, { kind, halt, cause }: RunResult): void => {
    if (kind === 'conflict') {
      afterConflict(key, cause);
      return;
    }
    conflicts.delete(key);
    if (kind === 'retry' || kind === 'fault' || kind === 'deadline') {
      queue.retry(key);
      return;
    }
    queue.forget(key);
    const afterMs = halt?.kind === 'wait' || halt?.kind === 'stall' ? halt.afterMs : undefined;
    if (afterMs !== undefined) queue.add(key, { afterMs });
  };
}

/**
 * Logs one line per run at the level of its outcome; `entered` is false while the object has been in that state before.
 */
export function logRun(log: Log, fields: object, { outcome, entered }: { outcome: RunResult; entered: boolean }): void {
  const { kind, halt, cause } = outcome;
  const reason = halt?.reason ?? failureReason(outcome);
  const line = { ...fields, outcome: kind, ...(reason === undefined ? {} : { reason }) };
  if (kind === 'fault') log.error({ ...line, err: cause }, 'Reconcile hit a fault of the operator');
  else if (kind === 'deadline') log.error(line, 'Reconcile took too long');
  else if (kind === 'retry') log.error({ ...line, ...describeCause(cause) }, 'Reconcile failed');
  else if (kind === 'stall' && entered) log.warn({ ...line, ...describeRefusal(cause) }, 'Object stalled');
  else if (kind === 'wait' && entered) log.info(line, 'Object waits');
  else log.debug(line, 'Reconciled');
}

/** Messages of the API server may quote the object, so that only codes are logged. */
const describeCause = (cause: unknown): object =>
  cause instanceof ApiError ? { status: cause.status, cause: cause.reason } : { err: cause };

const describeRefusal = (cause: unknown): object =>
  cause instanceof ApiError ? { object: cause.subject, fields: faultsOf(cause) } : {};
