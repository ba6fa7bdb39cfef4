import { isObject } from '@gatehouse/crds';
import { moderation as entry } from '@gatehouse/crds/guardrails';
import { compileScrubber } from '../../../lib/scrub.ts';
import { emptyText, excerptOf } from '../../answers.ts';
import { type CheckAnswer, defineCheck } from '../../contract.ts';
import { callService } from '../../outbound/index.ts';
import { failedCall, malformed } from './service-call.ts';

export const moderation = defineCheck(entry, (parameters, credential) => {
  const { url, model, categories, threshold, not, timeout: timeoutMs, forwardHeaders } = parameters;
  const key = credential.get('apiKey')?.reveal();
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const scrubber = key === undefined ? undefined : compileScrubber([key]);
  const isListed = (name: string): boolean => categories.length === 0 || categories.includes(name);
  return async (subject, tools): Promise<CheckAnswer> => {
    const { text } = subject;
    if (text === '') return emptyText();
    try {
      const body = { ...(model !== undefined && { model }), input: text };
      const call = { url, headers, body, timeoutMs, forwardHeaders, scrubber };
      const { json } = await callService(call, { subject, tools });
      const result: unknown = isObject(json) && Array.isArray(json['results']) ? json['results'][0] : undefined;
      if (!isObject(result)) throw malformed();
      const found = foundIn(result, threshold);
      const flaggedCategories = found.filter(isListed);
      const isFlagged =
        flaggedCategories.length > 0 ||
        (categories.length === 0 && threshold === undefined && result['flagged'] === true);
      const verdict = isFlagged === not;
      const explanation = isFlagged ? 'The text was flagged' : 'The text was not flagged';
      return { verdict, data: { verdict, not, explanation, flaggedCategories, textExcerpt: excerptOf(text) } };
    } catch (error) {
      return failedCall(error);
    }
  };
});

/** Names of the categories that are flagged, or whose scores reach the threshold. */
function foundIn(result: Readonly<Record<string, unknown>>, threshold: number | undefined): readonly string[] {
  const values = result[threshold === undefined ? 'categories' : 'category_scores'];
  if (!isObject(values)) throw malformed();
  return Object.keys(values).filter((name) => {
    const value = values[name];
    return threshold === undefined ? value === true : typeof value === 'number' && value >= threshold;
  });
}
