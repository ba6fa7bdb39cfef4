import { splitPieces } from '../answer/index.ts';
import { admit } from '../answer-size.ts';

const MAX_TOP_LOGPROBS = 20; // bound of `top_logprobs` in the API
/** About so many of JSON for each character of each candidate. */
const CHARACTERS_OF_CANDIDATE = 16;
const CHOSEN_LOGPROB = -0.01;

/** Invented but well-formed log probabilities: the pieces of the text are its tokens. `top` is the number of alternatives. */
export function toTokenLogprobs(text: string, top: number | undefined) {
  if (top === undefined) return null;
  admitLogprobs(text.length, top);
  const content = splitPieces(text).map((token) => ({
    ...toCandidate(token, CHOSEN_LOGPROB),
    top_logprobs: Array.from({ length: Math.min(top, MAX_TOP_LOGPROBS) }, (_, rank) =>
      toCandidate(rank === 0 ? token : `${token}${rank}`, CHOSEN_LOGPROB - 2 * rank),
    ),
  }));
  return { content, refusal: null };
}

/** Errors: throws RequestTooLarge where log probabilities of so many characters are more than one answer has. */
export function admitLogprobs(characters: number, top: number): void {
  admit(characters * (1 + Math.min(top, MAX_TOP_LOGPROBS)) * CHARACTERS_OF_CANDIDATE);
}

function toCandidate(token: string, logprob: number) {
  return { token, logprob, bytes: [...Buffer.from(token)] };
}
