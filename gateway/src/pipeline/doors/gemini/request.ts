/** A request of the Gemini API as the parameters of a chat completion. */

import { isObject } from '@gatehouse/crds';
import { scalarText } from '../../../lib/scalar-text.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { withoutAbsent } from '../../../wire/json/json.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';
import { toChatMessages } from './conversation.ts';
import { memberOf, objectOf, textIn } from './members.ts';
import { toJsonSchema } from './schema.ts';

/** What only some providers have. */
export const VENDOR_PARAMS: readonly string[] = [
  ...['top_k', 'safety_settings', 'cached_content', 'media_resolution', 'image_config', 'thinking', 'labels'],
];

/** Throws PARAMETER_INVALID and PARAMETER_UNSUPPORTED. */
export function toChatParams(given: JsonObject): JsonObject {
  const config = objectOf(given, 'generationConfig');
  return withoutAbsent({
    messages: toChatMessages(given),
    ...toSettings(config),
    response_format: toResponseFormat(config),
    ...toThinking(objectOf(config, 'thinkingConfig')),
    ...toTools(given),
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

/** A budget of -1 leaves the amount to the model. */
function toThinking(config: JsonObject | undefined): JsonObject {
  const level = textIn(config, 'thinkingLevel')?.toLowerCase();
  const budget = memberOf(config, 'thinkingBudget');
  if (level !== undefined && level !== 'thinking_level_unspecified') return { reasoning_effort: level };
  if (typeof budget !== 'number' || budget < 0) return {};
  return { thinking: budget === 0 ? { type: 'disabled' } : { type: 'enabled', budget_tokens: budget } };
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
  const tools = list.flatMap(toFunctions);
  if (tools.length === 0) return {};
  return { tools, tool_choice: toChoice(objectOf(objectOf(given, 'toolConfig'), 'functionCallingConfig')) };
}

/** Functions of the client, and those of Google, which providers know as functions with these names. */
function toFunctions(tool: JsonObject): readonly object[] {
  const { functionDeclarations, function_declarations = functionDeclarations, ...others } = tool;
  const declared = Array.isArray(function_declarations) ? function_declarations.filter(isObject) : [];
  const built = Object.entries(others).filter(([, settings]) => isObject(settings));
  return [
    ...declared.map(toFunction),
    ...built.map(([name, parameters]) => ({ type: 'function', function: { name, parameters } })),
  ];
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
