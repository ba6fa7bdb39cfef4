import { withoutAbsent } from '../../../wire/json/json.ts';
import type { ContentPart, OpenAiDialect } from '../../../wire/openai/index.ts';
import type { RemoteFile } from '../../openai-like/index.ts';

/** Citations are not part of the OpenAI format. */
export const perplexityChat: OpenAiDialect = {
  body(body, ctx) {
    if (!ctx.strict) return body;
    const { citations: _, search_results: __, ...rest } = body;
    return rest;
  },
};

/** Files have a part of their own. */
export const perplexityFile: RemoteFile = ({ url, name }): ContentPart | undefined =>
  url === undefined ? undefined : { type: 'file_url', ...withoutAbsent({ file_url: { url }, file_name: name }) };
