/** Usage objects of providers' own APIs, in the names of the chat format. */
import { isObject } from '@gatehouse/crds';

type Counts = Readonly<Record<string, unknown>>;

/** The object itself where it has the names of one of our formats. */
export function toKnownNames(usage: Counts): Counts {
  if (usage['promptTokenCount'] !== undefined || usage['candidatesTokenCount'] !== undefined) return ofGemini(usage);
  if (usage['inputTokens'] !== undefined || usage['outputTokens'] !== undefined) return ofConverse(usage);
  const isNamed = usage['prompt_tokens'] !== undefined;
  if (!isNamed && (isObject(usage['tokens']) || isObject(usage['billed_units']))) return ofCohere(usage);
  return usage;
}

/** Source: Gemini API, UsageMetadata. Thoughts are counted beside candidates. */
function ofGemini(usage: Counts): Counts {
  const thoughts = numberOf(usage['thoughtsTokenCount']);
  const details = (list: unknown, cached?: number): Counts => ({
    text_tokens: tokensOf(list, 'TEXT'),
    audio_tokens: tokensOf(list, 'AUDIO'),
    image_tokens: tokensOf(list, 'IMAGE'),
    ...(cached === undefined ? {} : { cached_tokens: cached }),
  });
  return {
    prompt_tokens: usage['promptTokenCount'],
    completion_tokens: numberOf(usage['candidatesTokenCount']) + thoughts,
    total_tokens: usage['totalTokenCount'],
    prompt_tokens_details: {
      ...details(usage['promptTokensDetails'], numberOf(usage['cachedContentTokenCount'])),
      cached_tokens_details: details(usage['cacheTokensDetails']),
    },
    completion_tokens_details: { ...details(usage['candidatesTokensDetails']), reasoning_tokens: thoughts },
  };
}

function tokensOf(list: unknown, modality: string): number {
  const found = Array.isArray(list) ? list.find((one) => isObject(one) && one['modality'] === modality) : undefined;
  return isObject(found) ? numberOf(found['tokenCount']) : 0;
}

/** Source: Amazon Bedrock, Converse TokenUsage. Input leaves out what the cache had or got. */
const ofConverse = (usage: Counts): Counts => ({
  input_tokens: usage['inputTokens'],
  output_tokens: usage['outputTokens'],
  total_tokens: usage['totalTokens'],
  cache_read_input_tokens: usage['cacheReadInputTokens'],
  cache_creation_input_tokens: usage['cacheWriteInputTokens'],
});

/** Source: Cohere API, Usage. What is billed may be less than what was read. */
function ofCohere(usage: Counts): Counts {
  const { tokens, billed_units: billed } = usage;
  const counted = isObject(tokens) ? tokens : isObject(billed) ? billed : {};
  return {
    prompt_tokens: counted['input_tokens'],
    completion_tokens: counted['output_tokens'],
    prompt_tokens_details: { cached_tokens: usage['cached_tokens'] },
  };
}

const numberOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
