/** Parameters of the check that asks a model: docs/behaviour/guardrails.md#a-model-as-the-judge. */
import { z } from 'zod';
import { flag, int, pattern, text } from '../../schema/index.ts';
import { timeout } from '../calls.ts';
import { defineCheckEntry } from '../check.ts';

const MAX_PROMPT = 16_384;
const MAX_MODEL = 512;
const MODEL = /^@[^/\s]+\/\S+$/;

export const judge = defineCheckEntry({
  id: 'llm.judge',
  summary: 'Asks a model for a score of the text, and passes when it reaches a threshold.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    prompt: text('prompt says what a good text is; the model scores how far the text is that.', MAX_PROMPT),
    model: pattern(MODEL, 'a model as @provider/model', MAX_MODEL).meta({
      description: 'model is the model that judges, as @provider/model: an account that the caller may use.',
    }),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .meta({ description: 'threshold is the least score that passes, from 0 to 1.' }),
    includeRequest: flag('includeRequest shows the model the last message of the request beside an answer.', false),
    maxTokens: int('maxTokens is the longest answer of the model, in tokens.', 1, 32_768).default(1_024),
    timeout: timeout(15_000),
  }),
  callsOut: true,
  quotes: ['reason'],
});

export const JUDGE_CHECKS = [judge] as const;
