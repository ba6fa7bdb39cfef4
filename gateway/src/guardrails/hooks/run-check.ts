/** One check: what it throws and the time it takes are its own affair. */
import { Cancellation } from '../../lib/cancellation.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Deferred } from '../../lib/deferred.ts';
import type { CheckAnswer, CheckError, CheckTools, Transformed } from '../contract.ts';
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
  readonly result: CheckResult;
  /** `execution_time` with its fraction. */
  readonly durationMs: number;
  readonly transformed: Transformed | undefined;
}

/** What the checks of a phase share. */
export interface PhaseTools {
  readonly tools: CheckTools;
  /** `performance.now()` after which no check runs on. */
  readonly endsMs: number;
  readonly turn: WorkTurn;
  /** The time as results show it. */
  now(): string;
}

export const phaseOf = (tools: CheckTools, limits: Pick<PhaseTools, 'endsMs' | 'turn'>): PhaseTools => ({
  tools,
  ...limits,
  now: () => isoTime(tools.now()),
});

/** A check ends its calls itself, and says more about it than the engine could. */
const GRACE_MS = 250;

/** Never rejects. */
export function runCheck(check: HookCheck, subject: Subject, phase: PhaseTools): Deferred<RanCheck> {
  const startedMs = performance.now();
  const left = Math.max(0, phase.endsMs - startedMs);
  const limitMs = Math.min(left, (check.timeoutMs ?? left) + GRACE_MS);
  const settle = (answer: CheckAnswer): RanCheck => ranCheck(check, answer, { phase, startedMs });
  if (limitMs === 0) return settle(timedOut(0));
  const cancellation = check.entry.callsOut === true ? new Cancellation() : undefined;
  const tools = cancellation === undefined ? phase.tools : { ...phase.tools, signal: cancellation };
  try {
    const answer = check.run(subject, tools);
    if (!(answer instanceof Promise)) return settle(answer);
    return within(answer, { limitMs, cancellation, outer: phase.tools }).then(settle, (error) => settle(broken(error)));
  } catch (error) {
    return settle(broken(error));
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
  readonly phase: PhaseTools;
  readonly startedMs: number;
}

function ranCheck(check: HookCheck, answer: CheckAnswer, { phase, startedMs }: Run): RanCheck {
  const { verdict, data = null, error, transformed, log = null } = answer;
  const durationMs = performance.now() - startedMs;
  return {
    check,
    transformed,
    durationMs,
    result: {
      data,
      verdict,
      id: check.entry.id,
      ...(error === undefined ? {} : { error }),
      execution_time: Math.round(durationMs),
      transformed: transformed !== undefined,
      created_at: phase.now(),
      log,
      fail_on_error: check.failOnError,
    },
  };
}

/** Whether the check lets its hook pass: an error counts only where it is asked for. */
export const passes = ({ verdict, error, fail_on_error }: CheckResult): boolean =>
  verdict || (error !== undefined && !fail_on_error);
