/** Source: https://docs.sydelabs.ai */
import { partners } from '@gatehouse/crds/guardrails';
import { definePartner, keyHeader, needObject, numberAt, once } from './engine/index.ts';

export const sydeguard = definePartner(partners.sydeguard, {
  onError: false,
  empty: 'asked',
  host: 'https://guard.sydelabs.ai',
  auth: keyHeader('x-api-key'),
  path: '/api/v1/guard/generate-score',
  bodies: once(({ subject }) => ({ prompt: subject.text })),
  read: ([reply], { parameters }) => {
    const scores = needObject(reply, 'category_scores', 'category_scores');
    const limits = {
      PROMPT_INJECT: parameters.prompt_injection_threshold,
      TOXIC: parameters.toxicity_threshold,
      EVASION: parameters.evasion_threshold,
    };
    const isAbove = ([name, limit]: [string, number]): boolean => (numberAt(scores, name) ?? 0) > limit;
    return { verdict: !Object.entries(limits).some(isAbove), data: reply };
  },
});
