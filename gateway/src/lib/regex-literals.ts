/** What a text must contain to match a pattern: most texts lack it, and are done without the automaton. */
import type { RE2JS } from 're2js';
import type { RegexWork } from './regex-work.ts';

/** Texts and literals up to these lengths, in UTF-16 units: at most 32 literals are looked for, which together are a few ms at worst. */
const MAX_TEXT = 16_384;
const MAX_LITERAL = 32;
/** Characters that are searched for one literal for a unit of work. */
const CHARS_PER_UNIT = 16;

/** A condition on the text, as re2js makes it of the literals of a pattern; it does not export the type. */
interface Prefilter {
  eval(
    input: { hasString(literal: { readonly str: string }): boolean; hasAnyString(): boolean },
    position: number,
  ): boolean;
}

/** False: the text does not match, as a literal is missing that all matches have. True: it may. */
export function hasLiterals(re2: ReturnType<RE2JS['re2']>, text: string, work: RegexWork): boolean {
  const prefilter: Prefilter | null = re2.prefilter;
  if (prefilter === null || text.length > MAX_TEXT) return true;
  const hasString = ({ str }: { readonly str: string }): boolean => {
    if (str.length > MAX_LITERAL) return true;
    work.left -= Math.ceil(text.length / CHARS_PER_UNIT);
    return text.includes(str);
  };
  return prefilter.eval({ hasString, hasAnyString: () => true }, 0);
}
