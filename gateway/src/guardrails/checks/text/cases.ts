import { alllowercase as alllowercaseEntry, alluppercase as alluppercaseEntry } from '@gatehouse/crds/guardrails';
import { emptyText, excerptOf } from '../../answers.ts';
import { type CompiledCheck, defineCheck } from '../../contract.ts';

export const alluppercase = defineCheck(alluppercaseEntry, ({ not }) => lacks(/[a-z]/, 'lower-case', not));

export const alllowercase = defineCheck(alllowercaseEntry, ({ not }) => lacks(/[A-Z]/, 'upper-case', not));

/** Only ASCII letters count: a text without them passes. */
function lacks(letter: RegExp, name: string, not: boolean): CompiledCheck {
  return ({ text }) => {
    if (text === '') return emptyText();
    const found = letter.test(text);
    const verdict = found === not;
    const explanation = `The text has ${found ? 'a' : 'no'} ${name} letter.`;
    return { verdict, data: { verdict, not, explanation, textExcerpt: excerptOf(text) } };
  };
}
