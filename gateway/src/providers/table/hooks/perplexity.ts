import type { OpenAiDialect } from '../../../wire/openai/index.ts';

/** Citations are not part of the OpenAI format. */
export const perplexityChat: OpenAiDialect = {
  body(body, ctx) {
    if (!ctx.strict) return body;
    const { citations: _, search_results: __, ...rest } = body;
    return rest;
  },
};
