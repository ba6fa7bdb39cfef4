/** A request of the Gemini API as the parameters of a chat completion. */

import { isObject } from '@gatehouse/crds';
import { scalarText } from '../../../lib/scalar-text.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { GOOGLE_TOOLS } from '../../../wire/gemini/index.ts';
import { orAbsent, withoutAbsent } from '../../../wire/json/json.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';
import { toChatMessages } from './conversation.ts';
import { memberOf, objectOf, textIn, toCamel } from './members.ts';
import { toJsonSchema } from './schema.ts';
import { checkRequest } from './shapes.ts';

/** What only some providers have. */
export const VENDOR_PARAMS: readonly string[] = [
  ...['top_k', 'safety_settings', 'cached_content', 'media_resolution', 'image_config', 'thinking', 'labels'],
  ...['speech_config', 'audio_timestamp', 'google_tools', 'retrieval_config'],
];

/** Throws PARAMETER_INVALID and PARAMETER_UNSUPPORTED. */
export function toChatParams(given: JsonObject): JsonObject {
  checkRequest(given);
  const config = objectOf(given, 'generationConfig');
  return withoutAbsent({
    messages: toChatMessages(given),
    ...toSettings(config),
    response_format: toResponseFormat(config),
    ...toThinking(objectOf(config, 'thinkingConfig')),
    ...toTools(given),
    retrieval_config: objectOf(objectOf(given, 'toolConfig'), 'retrievalConfig'),
    safety_settings: memberOf(given, 'safetySettings'),
    cached_content: memberOf(given, 'cachedContent'),
    labels: memberOf(given, 'labels'),
  });
}

/** Members of the generation config that a chat has under another name. */
const SETTINGS: readonly (readonly [gemini: string, chat: string])[] = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['maxOutputTokens', 'max_completion_tokens'],
  ['stopSequences', 'stop'],
  ['seed', 'seed'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['responseLogprobs', 'logprobs'],
  ['logprobs', 'top_logprobs'],
  ['mediaResolution', 'media_resolution'],
  ['speechConfig', 'speech_config'],
  ['audioTimestamp', 'audio_timestamp'],
];

function toSettings(config: JsonObject | undefined): JsonObject {
  const modalities = memberOf(config, 'responseModalities');
  const image = objectOf(config, 'imageConfig');
  return {
    ...Object.fromEntries(SETTINGS.map(([from, to]) => [to, memberOf(config, from)])),
    modalities: Array.isArray(modalities) ? modalities.map((one) => scalarText(one).toLowerCase()) : undefined,
    image_config:
      image &&
      withoutAbsent({ aspect_ratio: memberOf(image, 'aspectRatio'), image_size: memberOf(image, 'imageSize') }),
  };
}

function toResponseFormat(config: JsonObject | undefined): JsonObject | undefined {
  const type = textIn(config, 'responseMimeType');
  if (type === undefined || type === 'text/plain') return undefined;
  if (type !== 'application/json') {
    return refuseParameter('generationConfig.responseMimeType', 'text/plain and application/json are taken');
  }
  const own = objectOf(config, 'responseSchema');
  const schema = objectOf(config, 'responseJsonSchema') ?? (own && toJsonSchema(own));
  return schema === undefined
    ? { type: 'json_object' }
    : { type: 'json_schema', json_schema: { name: 'response', schema } };
}

/** A budget of -1 leaves the amount to the model. Whether thoughts are told is for Google alone. */
function toThinking(config: JsonObject | undefined): JsonObject {
  const level = textIn(config, 'thinkingLevel')?.toLowerCase();
  const budget = memberOf(config, 'thinkingBudget');
  const own = orAbsent(
    withoutAbsent({
      include_thoughts: memberOf(config, 'includeThoughts'),
      thinking_budget: budget === -1 ? budget : undefined,
    }),
  );
  if (level !== undefined && level !== 'thinking_level_unspecified')
    return { reasoning_effort: level, thinking_config: own };
  if (typeof budget !== 'number' || budget < 0) return { thinking_config: own };
  return {
    thinking: budget === 0 ? { type: 'disabled' } : { type: 'enabled', budget_tokens: budget },
    thinking_config: own,
  };
}

const MODES: ReadonlyMap<unknown, string> = new Map([
  ['AUTO', 'auto'],
  ['NONE', 'none'],
  ['ANY', 'required'],
  ['VALIDATED', 'auto'],
]);

function toTools(given: JsonObject): JsonObject {
  const list = memberOf(given, 'tools');
  if (list === undefined || list === null) return {};
  if (!Array.isArray(list) || !list.every(isObject)) return refuseShape('tools', 'a list of tools');
  const tools = list.flatMap((tool) => declarationsOf(tool).map(toFunction));
  const own = list.map(toOwnTools).filter((tool) => tool !== undefined);
  const choice = toChoice(objectOf(objectOf(given, 'toolConfig'), 'functionCallingConfig'));
  return {
    ...(tools.length === 0 ? {} : { tools, tool_choice: choice }),
    ...(own.length === 0 ? {} : { google_tools: own }),
  };
}

export function declarationsOf(tool: JsonObject): readonly JsonObject[] {
  const declared = memberOf(tool, 'functionDeclarations');
  return Array.isArray(declared) ? declared.filter(isObject) : [];
}

/** What Google itself does. */
function toOwnTools(tool: JsonObject): JsonObject | undefined {
  return orAbsent(
    Object.fromEntries(
      Object.entries(tool)
        .map(([name, settings]) => [toCamel(name), settings] as const)
        .filter(([name, settings]) => GOOGLE_TOOLS.has(name) && isObject(settings)),
    ),
  );
}

function toFunction(declared: JsonObject): object {
  const own = objectOf(declared, 'parameters');
  return {
    type: 'function',
    function: withoutAbsent({
      name: declared['name'],
      description: declared['description'],
      parameters: objectOf(declared, 'parametersJsonSchema') ?? (own && toJsonSchema(own)),
    }),
  };
}

function toChoice(config: JsonObject | undefined): unknown {
  const mode = MODES.get(memberOf(config, 'mode'));
  const allowed = memberOf(config, 'allowedFunctionNames');
  const [only, ...others]: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
  if (mode === 'required' && only !== undefined && others.length === 0) {
    return { type: 'function', function: { name: only } };
  }
  return mode;
}
