import {
  DEFAULT_REDACTION,
  regexReplace as entry,
  parseReplaceRule,
  type ReplaceRule,
} from '@gatehouse/crds/guardrails';
import { compileRegex, type MatchVisitor, type RegexWork } from '../../../lib/regex.ts';
import { undecided, undecidedPattern } from '../../answers.ts';
import { type CheckAnswer, defineCheck } from '../../contract.ts';
import { LongText } from './long-text.ts';
import { compileReplacement, MAX_GROUP, type Piece } from './replacement.ts';

/** Longest texts that a replacement may make, together, in UTF-16 units. */
const MAX_OUTPUT_CHARS = 4_194_304;

const tooLong = (): CheckAnswer =>
  undecided({
    name: 'TextTooLong',
    message: `With what redactText puts in, the text would have more than ${MAX_OUTPUT_CHARS} characters`,
  });

const noText = (): CheckAnswer => ({
  verdict: true,
  error: { name: 'EmptyText', message: 'there is no text to replace in' },
});

interface Replaced {
  readonly text: string;
  readonly found: boolean;
}

export const regexReplace = defineCheck(entry, ({ rule, redactText, failOnDetection }) => {
  const replaceIn = compileReplace(parseReplaceRule(rule), redactText === '' ? DEFAULT_REDACTION : redactText);
  return async ({ parts }, { regex }) => {
    if (parts.every((part) => part === '')) return noText();
    const replaced: string[] = [];
    let found = false;
    let left = MAX_OUTPUT_CHARS;
    for (const part of parts) {
      const one = await replaceIn(part, left, regex);
      if ('verdict' in one) return one;
      found ||= one.found;
      left -= one.text.length;
      replaced.push(one.text);
    }
    const verdict = !(found && failOnDetection);
    const explanation = `The pattern ${found ? 'occurs and is replaced' : 'does not occur'}.`;
    const data = { regexPattern: rule, verdict, explanation };
    return found ? { verdict, data, transformed: { kind: 'parts', parts: replaced } } : { verdict, data };
  };
});

/** Replaces in one text, which has at most `most` characters afterwards; an answer where that is not possible. */
function compileReplace({ pattern: source, isGlobal, isSticky }: ReplaceRule, template: string) {
  const pattern = compileRegex(source);
  let pieces: readonly Piece[] | undefined;
  return async (text: string, most: number, regex: RegexWork): Promise<Replaced | CheckAnswer> => {
    if (text === '') return { text, found: false };
    const made = new LongText();
    let replacedTo: number | undefined;
    let next = 0;
    const visit: MatchVisitor['visit'] = (positions, groups) => {
      const [begin = 0, end = 0] = positions;
      if (isSticky && begin !== next) return false;
      pieces ??= compileReplacement(template, groups);
      regex.left -= pieces.length;
      made.append(text.slice(replacedTo ?? 0, begin));
      for (const piece of pieces) if (made.length <= most) made.append(piece(text, positions));
      replacedTo = end;
      next = nextFrom(text, begin, end);
      return isGlobal && made.length <= most;
    };
    const problem = undecidedPattern(await pattern.walk(text, regex, { groups: MAX_GROUP, visit }));
    if (problem !== undefined) return problem;
    if (replacedTo === undefined) return { text, found: false };
    made.append(text.slice(replacedTo));
    if (made.length > most) return tooLong();
    return { text: made.toString() || DEFAULT_REDACTION, found: true };
  };
}

/** Where the match after another one may begin: behind an empty one comes the next character. */
const nextFrom = (text: string, begin: number, end: number): number =>
  end > begin ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
