/** The checks of the guardrail service, and of moderation by any endpoint. */
import type { CheckDefinition } from '../../contract.ts';
import { gwDataservice, gwGibberish, gwLanguage, gwModerateContent, gwPii } from './guardrail-service.ts';
import { moderation } from './moderation.ts';

export const HOSTED_CHECKS: readonly CheckDefinition[] = [
  ...[gwModerateContent, gwLanguage, gwPii, gwGibberish, gwDataservice],
  moderation,
];
