import type { OpenAiDialect } from '../../../wire/openai/index.ts';

/** Where an answer comes from is beyond the OpenAI format. */
export const perplexityChat: OpenAiDialect = {
  body(body, ctx) {
    if (!ctx.strict) return body;
    const { citations: _, search_results: __, ...rest } = body;
    return rest;
  },
};
