/** `generationConfig`. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { numberAt, objectAt, orAbsent, textAt, withoutAbsent } from '../json/json.ts';
import { maxTokensOf, stopList } from '../openai/index.ts';

/** Thinking budgets in tokens, for models that do not take a level. */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
]);
const OTHER_BUDGET = 8192;
const COUNTS_TOKENS = 'gemini-2.5';

/** Other models think as much as they do at their lowest level. */
export const turnsThinkingOff = (model: string): boolean => model.includes(COUNTS_TOKENS);

/** The sampling and output settings of a request, or undefined when the client sent none. */
export function toGenerationConfig(params: JsonObject, model: string): JsonObject | undefined {
  return orAbsent(
    withoutAbsent({
      temperature: params['temperature'],
      topP: params['top_p'],
      topK: params['top_k'],
      maxOutputTokens: maxTokensOf(params),
      stopSequences: stopList(params['stop']),
      seed: params['seed'],
      responseLogprobs: params['logprobs'],
      logprobs: params['top_logprobs'],
      candidateCount: params['n'],
      presencePenalty: params['presence_penalty'],
      frequencyPenalty: params['frequency_penalty'],
      ...responseFormat(params['response_format']),
      thinkingConfig: orAbsent({
        ...(thinkingOf(params['thinking']) ?? effortOf(params['reasoning_effort'], model)),
        ...ownThinking(objectAt(params, 'thinking_config')),
      }),
      responseModalities: modalitiesOf(params['modalities']),
      imageConfig: imageConfigOf(objectAt(params, 'image_config')),
      mediaResolution: params['media_resolution'],
      speechConfig: params['speech_config'],
      audioTimestamp: params['audio_timestamp'],
    }),
  );
}

function responseFormat(format: unknown): JsonObject {
  if (!isObject(format)) return {};
  if (format['type'] === 'json_object') return { responseMimeType: 'application/json' };
  const wrapper = format['type'] === 'json_schema' ? objectAt(format, 'json_schema') : undefined;
  if (wrapper === undefined) return {};
  return { responseMimeType: 'application/json', responseJsonSchema: objectAt(wrapper, 'schema') ?? wrapper };
}

/** Thinking that names no budget (`adaptive`) leaves the amount to `reasoning_effort` or to the model. */
function thinkingOf(thinking: unknown): JsonObject | undefined {
  if (!isObject(thinking)) return undefined;
  const type = textAt(thinking, 'type');
  const budget = type === 'disabled' ? 0 : numberAt(thinking, 'budget_tokens');
  return budget === undefined
    ? undefined
    : { includeThoughts: type === 'enabled' && budget > 0, thinkingBudget: budget };
}

/** What no other vendor has: whether thoughts are told, and a budget that the model chooses. */
function ownThinking(config: JsonObject | undefined): JsonObject {
  const told = config?.['include_thoughts'];
  return withoutAbsent({
    includeThoughts: typeof told === 'boolean' ? told : undefined,
    thinkingBudget: config?.['thinking_budget'] === -1 ? -1 : undefined,
  });
}

function effortOf(effort: unknown, model: string): JsonObject | undefined {
  if (typeof effort !== 'string') return undefined;
  const countsTokens = turnsThinkingOff(model);
  if (effort === 'none') return countsTokens ? { thinkingBudget: 0 } : undefined;
  if (!countsTokens) return { thinkingLevel: effort };
  return { includeThoughts: true, thinkingBudget: BUDGETS.get(effort) ?? OTHER_BUDGET };
}

function modalitiesOf(modalities: unknown): readonly string[] | undefined {
  if (!Array.isArray(modalities)) return undefined;
  return modalities.filter((item) => typeof item === 'string').map((item) => item.toUpperCase());
}

const imageConfigOf = (config: JsonObject | undefined): JsonObject | undefined =>
  config && orAbsent(withoutAbsent({ aspectRatio: config['aspect_ratio'], imageSize: config['image_size'] }));
