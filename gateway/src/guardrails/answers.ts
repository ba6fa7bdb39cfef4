/** Parts of answers that checks have in common. */
import type { CheckAnswer, CheckError } from './contract.ts';

const EXCERPT_CHARS = 100;

/** The beginning of a text, for `hook_results`. */
export const excerptOf = (text: string): string =>
  text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}...` : text;

/** The check could not decide: whether that fails is up to `failOnError`. */
export const undecided = (error: CheckError): CheckAnswer => ({ verdict: false, error });

export const emptyText = (): CheckAnswer => undecided({ name: 'EmptyText', message: 'there is no text to check' });
