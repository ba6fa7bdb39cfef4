import { regexMatch as entry } from '@gatehouse/crds/guardrails';
import { compileRegex, type PatternGroups } from '../../../lib/regex.ts';
import { emptyText, excerptOf, LaterData, undecidedPattern } from '../../answers.ts';
import { type CheckAnswer, defineCheck } from '../../contract.ts';

/** Groups that are shown, and characters of each. */
const MAX_GROUPS = 99;
const MAX_SHOWN_CHARS = 1_000;

export const regexMatch = defineCheck(entry, ({ rule, not }) => {
  const pattern = compileRegex(rule);
  const answer = (text: string, matchDetails: object | null): CheckAnswer => {
    const verdict = (matchDetails !== null) !== not;
    return new LaterData(verdict, () => {
      const explanation = `The pattern ${matchDetails === null ? 'does not occur' : 'occurs'} in the text.`;
      const textExcerpt = excerptOf(text);
      return { regexPattern: rule, not, verdict, explanation, matchDetails, textExcerpt };
    });
  };
  return ({ text }, { regex }) => {
    if (text === '') return emptyText();
    let details: object | null = null;
    const visitor = {
      groups: MAX_GROUPS,
      visit: (positions: Readonly<Int32Array>, groups: PatternGroups) => {
        details = detailsOf(text, positions, groups);
        return false;
      },
    };
    const end = pattern.walk(text, regex, visitor);
    if (end instanceof Promise) return end.then((late) => undecidedPattern(late) ?? answer(text, details));
    return undecidedPattern(end) ?? answer(text, details);
  };
});

/** The match as JavaScript has it: null for groups that took no part. */
function detailsOf(text: string, positions: Readonly<Int32Array>, { names }: PatternGroups): object {
  const [matchedText, ...captures] = Array.from({ length: positions.length / 2 }, (_, i) => {
    const [from = -1, to = -1] = positions.subarray(2 * i, 2 * i + 2);
    return from < 0 ? null : text.slice(from, Math.min(to, from + MAX_SHOWN_CHARS));
  });
  const groups = names.size === 0 ? null : Object.fromEntries([...names].map(([name, i]) => [name, captures[i - 1]]));
  return { matchedText, index: positions[0], groups, captures };
}
