import { endsWith as entry } from '@gatehouse/crds/guardrails';
import { emptyText, excerptOf } from '../../answers.ts';
import { defineCheck } from '../../contract.ts';

export const endsWith = defineCheck(entry, ({ suffix, not }) => ({ text }) => {
  if (text === '') return emptyText();
  const ends = text.endsWith(suffix) || text.endsWith(`${suffix}.`);
  const verdict = ends !== not;
  const explanation = `The text ${ends ? 'ends' : 'does not end'} with the suffix.`;
  return { verdict, data: { suffix, not, verdict, explanation, textExcerpt: excerptOf(text) } };
});
