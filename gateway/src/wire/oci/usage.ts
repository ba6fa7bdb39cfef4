import type { JsonObject, Usage } from '../contract.ts';
import { numberAt, objectAt, withoutAbsent } from '../json/json.ts';

/** Undefined where the upstream reports none. */
export function ociUsage(usage: JsonObject | undefined): Usage | undefined {
  const prompt = numberAt(usage, 'promptTokens');
  const completion = numberAt(usage, 'completionTokens');
  if (prompt === undefined && completion === undefined) return undefined;
  const cached = numberAt(objectAt(usage, 'promptTokensDetails'), 'cachedTokens');
  const details = objectAt(usage, 'completionTokensDetails');
  const ofCompletion = withoutAbsent({
    reasoning_tokens: numberAt(details, 'reasoningTokens'),
    accepted_prediction_tokens: numberAt(details, 'acceptedPredictionTokens'),
    rejected_prediction_tokens: numberAt(details, 'rejectedPredictionTokens'),
  });
  return {
    prompt_tokens: prompt ?? 0,
    completion_tokens: completion ?? 0,
    total_tokens: numberAt(usage, 'totalTokens') ?? (prompt ?? 0) + (completion ?? 0),
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(Object.keys(ofCompletion).length === 0 ? {} : { completion_tokens_details: ofCompletion }),
  };
}
