import type { OpenAiDialect } from '../../../wire/openai/index.ts';
import { editMessages, withoutMembers } from '../../openai-like/index.ts';

/** The upstream answers 400 when reasoning comes back in the history. */
export const withoutReasoningHistory = editMessages(withoutMembers('reasoning_content'));

/** Cached tokens are told under a name of their own. */
export const deepseekChat: OpenAiDialect = {
  ownFinishReasons: true,
  usage(usage) {
    const cached = usage['prompt_cache_hit_tokens'];
    if (typeof cached !== 'number' || usage['prompt_tokens_details'] !== undefined) return usage;
    return { ...usage, prompt_tokens_details: { cached_tokens: cached } };
  },
};
