/** Checks of a good answer before it counts: one that is refused may be tried again. */
import { AppError } from '../../../errors/index.ts';
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

/** The error that replaces the answer, whose status decides about retries and its row about fallbacks; or another answer. */
export type CheckedAnswer = AppError | MappedAnswer | undefined;

/** Undefined: the answer passes as it is. A check that returns another answer has taken over what this one holds. */
export type AnswerCheck = (answered: AnsweredTry) => CheckedAnswer | Promise<CheckedAnswer>;

/** Runs the checks in order, up to the first that refuses; synchronous where they are. */
export function evaluate(
  checks: readonly AnswerCheck[],
  answered: AnsweredTry,
): CheckedAnswer | Promise<CheckedAnswer> {
  let current = answered;
  for (const [index, check] of checks.entries()) {
    const checked = check(current);
    if (checked instanceof Promise) {
      const before = current;
      return checked.then((it) => goOn(checks.slice(index + 1), before, it));
    }
    if (checked instanceof AppError) return checked;
    if (checked !== undefined) current = { ...current, answer: checked };
  }
  return current === answered ? undefined : current.answer;
}

async function goOn(
  checks: readonly AnswerCheck[],
  before: AnsweredTry,
  checked: CheckedAnswer,
): Promise<CheckedAnswer> {
  if (checked instanceof AppError) return checked;
  const answer = checked ?? before.answer;
  return (await evaluate(checks, { ...before, answer })) ?? answer;
}
