import { contains as entry } from '@gatehouse/crds/guardrails';
import { defineCheck } from '../../contract.ts';

const PASSES = {
  any: (found: number) => found > 0,
  all: (_: number, missing: number) => missing === 0,
  none: (found: number) => found === 0,
} as const;

export const contains = defineCheck(entry, ({ words, operator }) => ({ text }) => {
  const foundWords = words.filter((word) => text.includes(word));
  const missingWords = words.filter((word) => !foundWords.includes(word));
  const verdict = PASSES[operator](foundWords.length, missingWords.length);
  const explanation = `Check ${verdict ? 'passed' : 'failed'} for '${operator}' words`;
  return { verdict, data: { explanation, foundWords, missingWords, operator } };
});
