import type { Explanation, Reason } from '@gatehouse/crds/conditions';
import { ApiError, hasReason } from '../client/index.ts';

/** The step is complete. */
export interface Done {
  readonly kind: 'done';
  readonly message: string;
}

/**
 * Why a run stopped before its end. Reason and message go into the status; the rest decides when the key is processed again.
 */
export type Halt = Explanation &
  (
    | { readonly kind: 'wait'; readonly afterMs: number }
    /**
     * A person must change the spec or what it refers to. With `afterMs` the key is processed again even without a change.
     */
    | { readonly kind: 'stall'; readonly afterMs?: number; readonly cause?: unknown }
    /** A call failed; the key is retried after its back-off. */
    | { readonly kind: 'retry'; readonly cause: unknown }
    /** A bug of the operator; the key is retried after its back-off. */
    | { readonly kind: 'fault'; readonly cause: unknown }
  );

export type StepResult = Done | Halt;

export const done = (message: string): Done => ({ kind: 'done', message });

export const stall = (reason: Reason, message: string): Halt => ({ kind: 'stall', reason, message });

/** `afterMs` gets up to 10 % on top. */
export const wait = (reason: Reason, message: string, { afterMs }: { readonly afterMs: number }): Halt => ({
  kind: 'wait',
  reason,
  message,
  afterMs,
});

/** A state that cannot be: a bug of the operator, not a problem of the cluster. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** The run has ended: the process stops or lost its lease, or the run took too long. */
export class RunEndedError extends Error {
  override readonly name = 'RunEndedError';
  readonly why: 'stopped' | 'deadline';

  constructor(why: 'stopped' | 'deadline') {
    super(`the run ended: ${why}`);
    this.why = why;
  }
}

/** The RunEndedError behind a thrown value; Node's APIs wrap the reason of a signal as a cause. */
export function runEnd(error: unknown): RunEndedError | undefined {
  if (error instanceof RunEndedError) return error;
  return error instanceof Error && error.cause instanceof RunEndedError ? error.cause : undefined;
}

/** The status of conditions that are not met after a halt. */
export function unmetStatus({ kind }: Pick<Halt, 'kind'>): 'False' | 'Unknown' {
  return kind === 'stall' || kind === 'fault' ? 'False' : 'Unknown';
}

/** Whether a retry with fresh data will succeed: conflicts, races of creation, rate limits. */
export function isPassing(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 409 || error.status === 410 || error.status === 429);
}

/** The policy that refused an object may change without an event, in ms. */
const REFUSED_MS = 300_000;
/** Fields named in a message, and characters of each. */
const MAX_FIELDS = 6;
const MAX_FIELD = 90;

/** Why an object was refused: field names and codes, never their values. */
export function faultsOf({ causes }: ApiError): readonly { readonly field: string; readonly reason: string }[] {
  const faults = causes.filter(({ field }) => field !== '');
  const named = new Map(faults.map(({ field, reason }) => [`${field} ${reason}`, { field, reason }]));
  return [...named.values()]
    .slice(0, MAX_FIELDS)
    .map(({ field, reason }) => ({ field: field.slice(0, MAX_FIELD).replaceAll(/\s/g, ' '), reason }));
}

/** An object that the API server refuses as invalid will be refused again. */
function refused(error: ApiError): Halt {
  const { kind, name } = error.subject ?? { kind: 'object', name: '' };
  const faults = faultsOf(error).map(({ field, reason }) => (reason === '' ? field : `${field} (${reason})`));
  const details = faults.length === 0 ? '' : `: ${faults.join(', ')}`;
  const message = `The API server refuses the ${kind} ${name}`.trimEnd() + details;
  return { kind: 'stall', reason: 'Invalid', message, afterMs: REFUSED_MS, cause: error };
}

const FAULTS = [InvariantError, TypeError, RangeError, ReferenceError, SyntaxError] as const;

/**
 * Turns what a step throws into a halt. Rethrows what must leave the status unchanged: conflicts and the end of the run. The
 * message names the kind of failure only, so that a repeated failure writes the same status.
 */
export function retryFrom(error: unknown): Halt {
  if (isPassing(error) || runEnd(error) !== undefined) throw error;
  if (FAULTS.some((fault) => error instanceof fault)) {
    return {
      kind: 'fault',
      reason: 'InternalError',
      message: 'The operator failed; its log has the details',
      cause: error,
    };
  }
  if (hasReason(error, 'Invalid')) return refused(error);
  return { kind: 'retry', reason: 'ProgressingWithRetry', message: describe(error), cause: error };
}

function describe(error: unknown): string {
  if (!(error instanceof ApiError)) return 'A step failed and is tried again';
  const code = error.status === 0 ? '' : ` (${error.status})`;
  return `A call to the API server failed and is tried again: ${error.reason}${code}`;
}
