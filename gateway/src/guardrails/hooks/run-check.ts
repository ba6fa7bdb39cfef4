/** One check: what it throws and the time it takes are its own affair. */
import { Cancellation } from '../../lib/cancellation.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Deferred } from '../../lib/deferred.ts';
import type { CheckAnswer, CheckError, CheckTools } from '../contract.ts';
import type { HookCheck } from './compiled-hook.ts';
import { type Subject, TextTooLong } from './subject.ts';
import type { WorkTurn } from './work-turn.ts';

/** A check that has run, as results show it. */
export interface CheckResult {
  readonly id: string;
  readonly verdict: boolean;
  readonly data: unknown;
  readonly error?: CheckError;
  /** In ms. */
  readonly execution_time: number;
  readonly transformed: boolean;
  readonly created_at: string;
  readonly log: unknown;
  readonly fail_on_error: boolean;
}

export interface RanCheck {
  readonly check: HookCheck;
  readonly answer: CheckAnswer;
  readonly durationMs: number;
  /** Unix time at its end, in ms. */
  readonly createdAtMs: number;
}

/** What the checks of a phase share. */
export interface PhaseTools {
  readonly tools: CheckTools;
  /** `performance.now()` after which no check runs on. */
  readonly endsMs: number;
  readonly turn: WorkTurn;
}

/** A check ends its calls itself, and says more about it than the engine could. */
const GRACE_MS = 250;

/** Never rejects. */
export function runCheck(check: HookCheck, subject: Subject, phase: PhaseTools): Deferred<RanCheck> {
  const { tools, endsMs } = phase;
  const startedMs = performance.now();
  if (startedMs >= endsMs) return ranCheck(check, timedOut(0), { tools, startedMs });
  const cancellation = check.entry.callsOut === true ? new Cancellation() : undefined;
  try {
    const answer = check.run(subject, cancellation === undefined ? tools : { ...tools, signal: cancellation });
    if (!(answer instanceof Promise)) return ranCheck(check, answer, { tools, startedMs });
    const left = endsMs - startedMs;
    const limitMs = Math.min(left, (check.timeoutMs ?? left) + GRACE_MS);
    return within(answer, { limitMs, cancellation, outer: tools }).then(
      (late) => ranCheck(check, late, { tools, startedMs }),
      (error) => ranCheck(check, broken(error), { tools, startedMs }),
    );
  } catch (error) {
    return ranCheck(check, broken(error), { tools, startedMs });
  }
}

interface Limit {
  readonly limitMs: number;
  /** Ends the calls of the check. */
  readonly cancellation: Cancellation | undefined;
  readonly outer: Pick<CheckTools, 'signal'>;
}

/** Rejects with the reason when the request ends. */
function within(answer: Promise<CheckAnswer>, { limitMs, cancellation, outer }: Limit): Promise<CheckAnswer> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      cancellation?.cancel(outer.signal.reason);
      reject(outer.signal.reason);
    };
    const timer = setTimeout(() => {
      cancellation?.cancel(new Error('the check has taken too long'));
      resolve(timedOut(limitMs));
    }, limitMs);
    outer.signal.onCancel(leave);
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      outer.signal.offCancel(leave);
    });
  });
}

const timedOut = (ms: number): CheckAnswer => ({
  verdict: false,
  error: { name: 'TimeoutError', message: `The check has not answered within ${Math.round(ms)} ms` },
});

/** What a check throws may quote texts and credentials. */
function broken(error: unknown): CheckAnswer {
  const known = error instanceof TextTooLong ? error : undefined;
  return {
    verdict: false,
    error: { name: known?.name ?? 'Check error', message: known?.message ?? 'The check could not be run' },
  };
}

interface Run {
  readonly tools: Pick<CheckTools, 'now'>;
  readonly startedMs: number;
}

const ranCheck = (check: HookCheck, answer: CheckAnswer, { tools, startedMs }: Run): RanCheck => ({
  check,
  answer,
  durationMs: performance.now() - startedMs,
  createdAtMs: tools.now(),
});

/** As results show it. */
export function checkResult({ check, answer, durationMs, createdAtMs }: RanCheck): CheckResult {
  const { verdict, data = null, error, transformed, log = null } = answer;
  return {
    data,
    verdict,
    id: check.entry.id,
    ...(error === undefined ? {} : { error }),
    execution_time: Math.round(durationMs),
    transformed: transformed !== undefined,
    created_at: isoTime(createdAtMs),
    log,
    fail_on_error: check.failOnError,
  };
}

/** Whether the check lets its hook pass: an error counts only where it is asked for. */
export const passes = ({ check, answer: { verdict, error } }: RanCheck): boolean =>
  verdict || (error !== undefined && !check.failOnError);
