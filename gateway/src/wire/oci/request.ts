/** A chat request as a body of OCI Generative AI, in its generic format. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt, withoutAbsent } from '../json/json.ts';
import { maxTokensOf, stopList } from '../openai/index.ts';
import { toOciMessages } from './messages.ts';
import { apiFormatOf, RENAMED } from './params.ts';

/** What the account says of a call. */
export interface OciTarget {
  readonly compartmentId: string;
  /** The model is an endpoint of a dedicated cluster. */
  readonly dedicated: boolean;
  readonly model: string;
}

/** The body of the chat. Throws UnsupportedPart. */
export function toOciChat(params: JsonObject, { compartmentId, dedicated, model }: OciTarget): JsonObject {
  return {
    compartmentId,
    servingMode: dedicated
      ? { servingType: 'DEDICATED', endpointId: model }
      : { servingType: 'ON_DEMAND', modelId: model },
    chatRequest: toChatRequest(params, model),
  };
}

function toChatRequest(params: JsonObject, model: string): JsonObject {
  const temperature = numberAt(params, 'temperature');
  const tools = objectsAt(params, 'tools');
  return withoutAbsent({
    apiFormat: apiFormatOf(params, model),
    messages: toOciMessages(params),
    ...Object.fromEntries(RENAMED.map(([client, upstream]) => [upstream, params[client]])),
    // Models of OpenAI refuse the older name.
    [model.startsWith('openai.') ? 'maxCompletionTokens' : 'maxTokens']: maxTokensOf(params),
    temperature: temperature === undefined ? undefined : Math.min(Math.max(temperature, 0), 2),
    stop: stopList(params['stop']),
    logProbs: logProbsOf(params),
    tools: tools.length === 0 ? undefined : tools.map(toTool),
    toolChoice: toToolChoice(params['tool_choice']),
    responseFormat: toResponseFormat(params['response_format']),
    reasoningEffort: textAt(params, 'reasoning_effort')?.toUpperCase(),
    verbosity: textAt(params, 'verbosity')?.toUpperCase(),
    ...(params['stream'] === true ? streaming(params) : {}),
  });
}

const streaming = (params: JsonObject): JsonObject => ({
  isStream: true,
  streamOptions: objectAt(params, 'stream_options')?.['include_usage'] === true ? { isIncludeUsage: true } : undefined,
});

/** The upstream counts the alternatives that it reports. */
function logProbsOf(params: JsonObject): number | undefined {
  const top = numberAt(params, 'top_logprobs');
  return params['logprobs'] === true ? (top ?? 0) : numberAt(params, 'logprobs');
}

function toTool(tool: JsonObject): JsonObject {
  const { name, description, parameters } = objectAt(tool, 'function') ?? objectAt(tool, 'custom') ?? {};
  return withoutAbsent({ type: 'FUNCTION', name, description, parameters });
}

function toToolChoice(choice: unknown): JsonObject | undefined {
  if (typeof choice === 'string') return choice === '' ? undefined : { type: choice.toUpperCase() };
  if (!isObject(choice)) return undefined;
  const named = objectAt(choice, 'function') ?? objectAt(choice, 'custom') ?? choice;
  return withoutAbsent({ type: 'FUNCTION', name: textAt(named, 'name') });
}

function toResponseFormat(format: unknown): JsonObject | undefined {
  const type = isObject(format) ? textAt(format, 'type') : undefined;
  if (!isObject(format) || type === undefined) return undefined;
  const wrapper = objectAt(format, 'json_schema');
  if (type !== 'json_schema' || wrapper === undefined) return { type: type.toUpperCase() };
  const { name, description, schema, strict } = wrapper;
  return { type: 'JSON_SCHEMA', jsonSchema: withoutAbsent({ name, description, schema, isStrict: strict }) };
}
