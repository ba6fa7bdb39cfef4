import type { Answer } from '../../gateway/src/pipeline/index.ts';
import { NO_GUARDRAILS, NO_VERDICTS } from '../../gateway/src/record/index.ts';

/** What the pipeline knows of an answer that none of its steps has made. */
export const NO_FACTS: Answer['facts'] = {
  error: undefined,
  caller: undefined,
  metadata: {},
  requestBytes: undefined,
  route: { config: undefined, mode: undefined, optionPath: undefined },
  decisions: {
    cache: undefined,
    retries: undefined,
    attemptsExhausted: false,
    limits: NO_VERDICTS,
    guardrails: NO_GUARDRAILS,
  },
  attempts: [],
  answeredBy: undefined,
  stream: false,
};
