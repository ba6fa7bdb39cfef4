import type { OpenAiDialect } from '../../../wire/openai/index.ts';
import { editMessages, withoutMembers } from '../../openai-like/index.ts';

/** The upstream refuses reasoning in the history with 400. */
export const withoutReasoningHistory = editMessages(withoutMembers('reasoning_content'));

/** Cached tokens are reported under another name. */
export const deepseekChat: OpenAiDialect = {
  ownFinishReasons: true,
  usage(usage) {
    const cached = usage['prompt_cache_hit_tokens'];
    if (typeof cached !== 'number' || usage['prompt_tokens_details'] !== undefined) return usage;
    return { ...usage, prompt_tokens_details: { cached_tokens: cached } };
  },
};
