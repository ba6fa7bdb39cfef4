/** Checks of a good answer before it counts: one that is refused may be tried again. */
import type { AppError } from '../../../errors/index.ts';
import type { CancelSignal } from '../../../lib/cancellation.ts';
import type { MappedAnswer } from '../map/index.ts';
import type { Prepared } from '../prepare/index.ts';

export { createOverloadCheck } from './overload.ts';

export interface AnsweredTry {
  readonly prepared: Prepared;
  /** In the client's format. The first bytes of a stream can be looked at with `peek`, as the provider sent them. */
  readonly answer: MappedAnswer;
  /** Ends with the request and with the timeout of the try. */
  readonly signal: CancelSignal;
}

/** The error that replaces the answer: its status decides about retries, its row about fallbacks. Undefined: it passes. */
export type AnswerCheck = (answered: AnsweredTry) => AppError | undefined | Promise<AppError | undefined>;

/** Runs the checks in order, up to the first that refuses; synchronous where they are. */
export function evaluate(
  checks: readonly AnswerCheck[],
  answered: AnsweredTry,
): AppError | undefined | Promise<AppError | undefined> {
  for (const [index, check] of checks.entries()) {
    const error = check(answered);
    if (error instanceof Promise) return error.then((it) => it ?? evaluate(checks.slice(index + 1), answered));
    if (error !== undefined) return error;
  }
  return undefined;
}
