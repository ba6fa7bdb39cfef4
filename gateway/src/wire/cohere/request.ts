/** A chat request as a body of Cohere's v2 chat. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt, withoutAbsent } from '../json/json.ts';
import { maxTokensOf, stopList } from '../openai/index.ts';
import { toCohereMessages } from './messages.ts';

const MAX_STOP_SEQUENCES = 5;

/** Same name and meaning on both sides. */
const SAME = [
  'temperature',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'logprobs',
  'documents',
  'citation_options',
  'safety_mode',
] as const;

/** The body of the chat API; parameters without a counterpart are left out. */
export function toCohereBody(params: JsonObject, model: string): JsonObject {
  return withoutAbsent({
    model,
    messages: toCohereMessages(params),
    ...Object.fromEntries(SAME.map((name) => [name, params[name]])),
    max_tokens: maxTokensOf(params),
    p: params['top_p'],
    k: params['k'] ?? params['top_k'],
    stop_sequences: stopList(params['stop'])?.slice(0, MAX_STOP_SEQUENCES),
    ...toTools(params),
    response_format: toResponseFormat(params['response_format']),
    thinking: toThinking(objectAt(params, 'thinking')),
    stream: params['stream'] === true ? true : undefined,
  });
}

/** Strictness applies to the whole request; a named tool is sent as the only tool, and required. */
function toTools(params: JsonObject): JsonObject {
  const tools = objectsAt(params, 'tools');
  const choice = params['tool_choice'];
  const chosen = isObject(choice) ? textAt(objectAt(choice, 'function'), 'name') : undefined;
  const named = tools.filter((tool) => textAt(objectAt(tool, 'function'), 'name') === chosen);
  const offered = chosen !== undefined && named.length > 0 ? named : tools;
  return {
    tools: offered.length === 0 ? undefined : offered.map(withoutStrict),
    tool_choice: chosen === undefined ? CHOICES.get(choice) : 'REQUIRED',
    strict_tools: tools.some((tool) => objectAt(tool, 'function')?.['strict'] === true) || schemaStrictness(params),
  };
}

/** `auto` is the upstream's default. */
const CHOICES: ReadonlyMap<unknown, string> = new Map([
  ['required', 'REQUIRED'],
  ['none', 'NONE'],
]);

function withoutStrict(tool: JsonObject): JsonObject {
  const called = objectAt(tool, 'function');
  if (called === undefined || !('strict' in called)) return tool;
  const { strict: _, ...rest } = called;
  return { ...tool, function: rest };
}

function schemaStrictness(params: JsonObject): boolean | undefined {
  const strict = objectAt(objectAt(params, 'response_format'), 'json_schema')?.['strict'];
  return typeof strict === 'boolean' ? strict : undefined;
}

function toResponseFormat(format: unknown): unknown {
  const wrapper = isObject(format) && format['type'] === 'json_schema' ? objectAt(format, 'json_schema') : undefined;
  if (wrapper === undefined) return format;
  return { type: 'json_object', json_schema: objectAt(wrapper, 'schema') ?? wrapper };
}

function toThinking(thinking: JsonObject | undefined): JsonObject | undefined {
  if (thinking === undefined) return undefined;
  const { budget_tokens, ...rest } = thinking;
  return withoutAbsent({ ...rest, token_budget: rest['token_budget'] ?? numberAt({ budget_tokens }, 'budget_tokens') });
}
