import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called, id, OUTPUT, redact } from './fields.ts';

const credential = { fields: [API_KEY, baseUrl('https://api.patronus.ai')] };
const JUDGE_TIMEOUT_MS = 15_000;

const judged = (name: string, summary: string, timeoutMs = JUDGE_TIMEOUT_MS) =>
  defineCheckEntry({
    id: `patronus.${name}`,
    summary,
    phases: OUTPUT,
    callsOut: true,
    credential,
    parameters: z.strictObject(called(timeoutMs)),
  });

export const patronusIsConcise = judged('isConcise', 'Passes when Patronus judges the answer to be concise.');
export const patronusIsHelpful = judged('isHelpful', 'Passes when Patronus judges the answer to be helpful.');
export const patronusIsPolite = judged('isPolite', 'Passes when Patronus judges the answer to be polite.');
export const patronusNoApologies = judged('noApologies', 'Passes when Patronus finds no apology in the answer.');
export const patronusNoGenderBias = judged('noGenderBias', 'Passes when Patronus finds no gender bias in the answer.');
export const patronusNoRacialBias = judged('noRacialBias', 'Passes when Patronus finds no racial bias in the answer.');
export const patronusRetrievalAnswerRelevance = judged(
  'retrievalAnswerRelevance',
  'Passes when Patronus judges the answer to be relevant to the question.',
);
export const patronusToxicity = judged('toxicity', 'Passes when Patronus finds nothing toxic in the answer.', 5_000);

export const patronusCustom = defineCheckEntry({
  id: 'patronus.custom',
  summary: 'Passes when the answer fulfils criteria of your own at Patronus.',
  phases: OUTPUT,
  callsOut: true,
  credential,
  parameters: z
    .strictObject({
      profile: id(
        'profile is EVALUATOR:CRITERIA, or the criteria alone for the evaluator judge, e.g. judge:my-criteria.',
      ).optional(),
      criteria: id('criteria is another name of profile.').optional(),
      ...called(JUDGE_TIMEOUT_MS),
    })
    .refine(({ profile, criteria }) => profile !== undefined || criteria !== undefined, {
      error: 'profile is required',
      path: ['profile'],
    }),
});

const entities = (name: 'pii' | 'phi', what: string) =>
  defineCheckEntry({
    id: `patronus.${name}`,
    summary: `Passes when Patronus finds no ${what}.`,
    phases: BOTH,
    callsOut: true,
    transforms: true,
    credential,
    parameters: z.strictObject({ redact: redact(`the ${what} found`), ...called() }),
  });

export const patronusPii = entities('pii', 'personal data');
export const patronusPhi = entities('phi', 'health data of a person');
