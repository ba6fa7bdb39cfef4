/** Parts of answers that checks have in common. */
import { assertNever } from '@gatehouse/crds';
import type { WalkEnd } from '../lib/regex.ts';
import type { CheckAnswer, CheckError } from './contract.ts';

const EXCERPT_CHARS = 100;

/** The beginning of a text, for `hook_results`. */
export const excerptOf = (text: string): string =>
  text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}...` : text;

/** An answer whose data are made where results are shown, which most are not. */
export class LaterData implements CheckAnswer {
  readonly verdict: boolean;
  readonly #make: () => unknown;

  /** `make` is called each time that the data are read, and knows all that it needs. */
  constructor(verdict: boolean, make: () => unknown) {
    this.verdict = verdict;
    this.#make = make;
  }

  get data(): unknown {
    return this.#make();
  }
}

/** The check could not decide: whether that fails is up to `failOnError`. */
export const undecided = (error: CheckError): CheckAnswer => ({ verdict: false, error });

export const emptyText = (): CheckAnswer => undecided({ name: 'EmptyText', message: 'there is no text to check' });

/** A pattern needs more than is left of the work of the request. */
export const tooCostly = (): CheckAnswer =>
  undecided({ name: 'PatternTooCostly', message: 'the pattern needs too much work on this text' });

/** The error of a walk over matches that came to no end. */
export function undecidedPattern(end: WalkEnd | 'invalid'): CheckAnswer | undefined {
  switch (end) {
    case 'done':
      return undefined;
    case 'exhausted':
      return tooCostly();
    case 'invalid':
      return undecided({ name: 'InvalidPattern', message: 'the pattern is not one of RE2' });
    default:
      return assertNever(end);
  }
}
