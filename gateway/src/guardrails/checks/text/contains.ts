import { contains as entry } from '@gatehouse/crds/guardrails';
import { LaterData, undecided } from '../../answers.ts';
import { type CheckAnswer, type CheckTools, defineCheck } from '../../contract.ts';

/** Characters that are searched for one word for a unit of the request's work: a word in a MiB is below a ms, or 8 at worst. */
const CHARS_PER_UNIT = 16;
/** Characters that are searched without a pause: below a millisecond for most words, a few for the worst ones. */
const SLICE_CHARS = 1024 * 1024;

const PASSES = {
  any: (found: number) => found > 0,
  all: (_: number, missing: number) => missing === 0,
  none: (found: number) => found === 0,
} as const;

export const contains = defineCheck(entry, ({ words, operator }) => {
  /** `found`: some words of the list, in its order. */
  const answer = (found: readonly string[]): CheckAnswer => {
    const verdict = PASSES[operator](found.length, words.length - found.length);
    return new LaterData(verdict, () => {
      const isFound = new Set(found);
      const missingWords = words.filter((word) => !isFound.has(word));
      const explanation = `${found.length} of ${words.length} words occur; '${operator}' of them must.`;
      return { explanation, foundWords: found, missingWords, operator };
    });
  };
  return ({ text }, tools) => {
    if (words.length * text.length > SLICE_CHARS) {
      return findInSlices(words, text, tools).then((found) => (found === undefined ? tooMuch() : answer(found)));
    }
    return answer(words.filter((word) => text.includes(word)));
  };
});

const tooMuch = (): CheckAnswer =>
  undecided({ name: 'TextTooCostly', message: 'the words are too many for a text of this length' });

/** Undefined: the work of the request is used up. */
async function findInSlices(
  words: readonly string[],
  text: string,
  { nextSlice, regex }: CheckTools,
): Promise<readonly string[] | undefined> {
  const found: string[] = [];
  let searched = 0;
  for (const word of words) {
    if (searched >= SLICE_CHARS) {
      await nextSlice();
      searched = 0;
    }
    if (regex.left <= 0) return undefined;
    regex.left -= Math.ceil(text.length / CHARS_PER_UNIT);
    searched += text.length;
    if (text.includes(word)) found.push(word);
  }
  return found;
}
