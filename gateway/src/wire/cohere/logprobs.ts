/** Log probabilities of a chat. */
import type { JsonObject } from '../contract.ts';
import { textAt } from '../json/json.ts';

/**
 * In the chat format, or null without any. The upstream does not say which tokens of a longer text they belong to: those are for clients alone
 * that are not strict, as one entry with their sum. `strict`: entries of one token each.
 */
export function logprobsOf(entries: readonly JsonObject[], strict: boolean): JsonObject | null {
  const content = entries.flatMap((entry) => {
    const token = textAt(entry, 'text');
    const values = Array.isArray(entry['logprobs'])
      ? entry['logprobs'].filter((value) => typeof value === 'number')
      : [];
    if (token === undefined || values.length === 0 || (strict && values.length !== 1)) return [];
    const logprob = values.reduce((sum, value) => sum + value, 0);
    const own = strict ? {} : { token_ids: entry['token_ids'] ?? [], token_logprobs: values };
    return [{ token, logprob, bytes: [...Buffer.from(token, 'utf8')], top_logprobs: [], ...own }];
  });
  return content.length === 0 ? null : { content };
}
