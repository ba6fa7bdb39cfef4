/** Parts of answers that checks have in common. */
import { assertNever } from '@gatehouse/crds';
import type { WalkEnd } from '../lib/regex.ts';
import type { CheckAnswer, CheckError } from './contract.ts';

const EXCERPT_CHARS = 100;

/** The beginning of a text, for `hook_results`. */
export const excerptOf = (text: string): string =>
  text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}...` : text;

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
