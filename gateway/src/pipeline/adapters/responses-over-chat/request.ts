/** A request for a response as one for a chat completion; docs/behaviour/responses.md#requests. */
import { isObject } from '@gatehouse/crds';
import { droppedNames } from '../../../providers/engine/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { taking } from '../../../wire/params/params.ts';
import { toMessages } from './input.ts';
import { refuseParameter, refuseShape } from './refusals.ts';
import { INCLUDE_THOUGHTS } from './thoughts.ts';
import { type ClientTools, toChatTools } from './tools.ts';

/** Parameters that both formats have, or that providers have beside both. */
const SAME = [
  ...['model', 'temperature', 'top_p', 'stream', 'user', 'parallel_tool_calls', 'metadata', 'top_logprobs', 'thinking'],
  ...['frequency_penalty', 'presence_penalty'],
] as const;

/** The member of `include` that asks for log probabilities. */
const INCLUDE_LOGPROBS = 'message.output_text.logprobs';
const INCLUDED: ReadonlySet<unknown> = new Set([INCLUDE_LOGPROBS, INCLUDE_THOUGHTS]);

const takes = taking(
  [...SAME, 'instructions', 'input', 'max_output_tokens', 'tools', 'tool_choice', 'reasoning', 'stream_options'],
  {
    include: (value) => Array.isArray(value) && value.every((name) => INCLUDED.has(name)),
    text: (value) => isObject(value) && (value['verbosity'] ?? 'medium') === 'medium',
    truncation: (value) => value === 'disabled',
    background: (value) => value === false,
  },
);

/** State that only the provider of a Responses API has: without it a call would mean something else. */
const STATE: ReadonlyMap<string, string> = new Map([
  ['previous_response_id', 'send the earlier items in input'],
  ['conversation', 'send the earlier items in input'],
  ['prompt', 'send instructions and input'],
]);

export interface ChatRequest {
  readonly params: JsonObject;
  /** Parameters of the client that a chat does not have. */
  readonly dropped: readonly string[];
  readonly clientTools: ClientTools;
  /** The client wants back what the model needs of its thinking. */
  readonly keepsThoughts: boolean;
  /** Where each part of a message comes from. */
  readonly places: WeakMap<object, string>;
}

/** Throws AppError that names what a chat cannot say. */
export function toChatRequest(params: JsonObject, provider: string): ChatRequest {
  refuseState(params, provider);
  const { params: tools, clientTools } = toChatTools(params, provider);
  const includes = (name: string): boolean => Array.isArray(params['include']) && params['include'].includes(name);
  const wantsLogprobs = includes(INCLUDE_LOGPROBS) || (numberAt(params, 'top_logprobs') ?? 0) > 0;
  const places: ChatRequest['places'] = new WeakMap();
  const settings = {
    ...Object.fromEntries(SAME.map((name) => [name, params[name]])),
    messages: toMessages(params, { provider, places }),
    max_completion_tokens: params['max_output_tokens'],
    response_format: toResponseFormat(params['text']),
    reasoning_effort: objectAt(params, 'reasoning')?.['effort'],
    logprobs: wantsLogprobs ? true : undefined,
  };
  return {
    params: { ...withoutAbsent(settings), ...tools },
    dropped: droppedNames(params, takes),
    clientTools,
    keepsThoughts: includes(INCLUDE_THOUGHTS),
    places,
  };
}

function refuseState(params: JsonObject, provider: string): void {
  for (const [name, remedy] of STATE) {
    const value = params[name];
    if (value !== undefined && value !== null && value !== '') refuseParameter(name, { provider, remedy });
  }
  if (params['background'] === true) refuseParameter('background', { provider, remedy: 'leave it out and wait' });
}

function toResponseFormat(text: unknown): JsonObject | undefined {
  if (text === undefined || text === null) return undefined;
  if (!isObject(text)) return refuseShape('text', 'an object');
  const format = text['format'];
  if (format === undefined || format === null) return undefined;
  if (!isObject(format)) return refuseShape('text.format', 'an object');
  switch (format['type']) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json_object' };
    case 'json_schema':
      return { type: 'json_schema', json_schema: schemaOf(format) };
    default:
      return refuseShape('text.format.type', 'text, json_object or json_schema');
  }
}

function schemaOf(format: JsonObject): JsonObject {
  const { description, schema, strict } = format;
  if (!isObject(schema)) return refuseShape('text.format.schema', 'a JSON schema');
  return withoutAbsent({ name: textAt(format, 'name') ?? 'response', description, schema, strict });
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_output_tokens'],
  ['response_format', 'text'],
  ['reasoning_effort', 'reasoning'],
  ['logprobs', 'top_logprobs'],
]);

/** What the client calls a parameter of the chat request. */
export const clientNameOf = (name: string): string => NAMES.get(name) ?? name;
