/** Chats and embeddings as bodies of Ollama's own API. Source: Ollama API reference. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { objectAt, orAbsent, withoutAbsent } from '../json/json.ts';
import { maxTokensOf, stopList } from '../openai/index.ts';
import { toOllamaMessages, toOllamaTools } from './messages.ts';

/** Options with the same name on both sides. */
const SAME = ['temperature', 'top_p', 'top_k', 'seed', 'presence_penalty', 'frequency_penalty'] as const;

/** The body of `POST /api/chat`, which streams unless it says that it does not. Throws UnsupportedPart. */
export const toOllamaChat = (params: JsonObject, model: string): JsonObject =>
  withoutAbsent({
    model,
    messages: toOllamaMessages(params),
    tools: toOllamaTools(params),
    format: toFormat(objectAt(params, 'response_format')),
    think: toThink(params),
    options: toOptions(params),
    logprobs: params['logprobs'],
    top_logprobs: params['top_logprobs'],
    keep_alive: params['keep_alive'],
    truncate: params['truncate'],
    shift: params['shift'],
    stream: params['stream'] === true,
  });

/** The body of `POST /api/embed`. */
export const toOllamaEmbed = (params: JsonObject, model: string): JsonObject =>
  withoutAbsent({
    model,
    input: params['input'],
    dimensions: params['dimensions'],
    truncate: params['truncate'],
    options: objectAt(params, 'options'),
    keep_alive: params['keep_alive'],
  });

/**
 * What a chat has a name of its own for is among `options` only where a config says it there. `num_predict`: of a client that wants no
 * limit, which any limit of the chat replaces.
 */
function toOptions(params: JsonObject): JsonObject | undefined {
  const settings = {
    num_predict: maxTokensOf(params) ?? params['num_predict'],
    stop: stopList(params['stop']),
    ...Object.fromEntries(SAME.map((name) => [name, params[name]])),
  };
  return orAbsent(withoutAbsent({ ...settings, ...objectAt(params, 'options') }));
}

function toFormat(format: JsonObject | undefined): unknown {
  switch (format?.['type']) {
    case 'json_object':
      return 'json';
    case 'json_schema': {
      const { json_schema: wrapper } = format;
      return isObject(wrapper) ? (objectAt(wrapper, 'schema') ?? wrapper) : 'json';
    }
    default:
      return undefined;
  }
}

/** A client that lets the model think without a level asks a chat for this effort. */
export const EFFORT_OF_THINKING = 'medium';

const LEVELS: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
  ...[['low', 'low'] as const, ['medium', 'medium'] as const, ['high', 'high'] as const],
  ...[['none', false] as const, ['minimal', 'low'] as const, ['xhigh', 'high'] as const],
]);

/** As the client says it, unless a config asks for another effort. */
function toThink(params: JsonObject): unknown {
  const { think, reasoning_effort: effort } = params;
  const thinking = objectAt(params, 'thinking');
  if (thinking !== undefined) return thinking['type'] !== 'disabled';
  const asked = think === true ? EFFORT_OF_THINKING : think;
  if (effort === undefined || effort === null || effort === asked) return think;
  return LEVELS.get(effort) ?? think;
}
