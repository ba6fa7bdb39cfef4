/** Reads chat requests for all upstreams with content blocks: deprecated functions become tools, malformed members are dropped. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { objectAt, objectsAt, textAt } from '../json/json.ts';
import type { ChatMessage, ContentPart, ToolCall } from '../openai/index.ts';
import { messagesOf, parseArguments, partsOf } from '../openai/index.ts';

/** A tool call with parsed arguments. */
export interface ReadToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly cacheControl: unknown;
}

/** The messages of a chat body; `function_call` and role `function` become tool calls and tool results. */
export function conversationOf(params: JsonObject): readonly ChatMessage[] {
  let calls = 0;
  return messagesOf(params).map((message) => {
    const call = objectAt({ ...message }, 'function_call');
    if (call !== undefined) {
      calls += 1;
      const toolCall = { id: functionCallId(calls), type: 'function', function: call } as unknown as ToolCall;
      return { ...message, tool_calls: [toolCall] };
    }
    if (message.role !== 'function') return message;
    return { ...message, role: 'tool', tool_call_id: message.tool_call_id ?? functionCallId(calls) };
  });
}

/** Function calls have no ids: the n-th of a conversation gets id n, and a result belongs to the preceding call. */
const functionCallId = (n: number): string => `function_call_${n}`;

/** The tool calls of an assistant message. */
export function toolCallsOf(message: ChatMessage): readonly ReadToolCall[] {
  return objectsAt({ ...message }, 'tool_calls').map((call) => ({
    id: textAt(call, 'id') ?? '',
    name: textAt(objectAt(call, 'function'), 'name') ?? '',
    input: parseArguments(objectAt(call, 'function')?.['arguments']),
    cacheControl: call['cache_control'],
  }));
}

/** Parts of an assistant message: its content blocks if present, else its content. */
export function assistantPartsOf(message: ChatMessage): readonly ContentPart[] {
  const blocks = objectsAt({ ...message }, 'content_blocks') as readonly ContentPart[];
  return blocks.length > 0 ? blocks : partsOf(message.content);
}

/** Whether the parts are content blocks of an answer: what another provider wrote there is left out, not refused. */
export const isReplayed = ({ content_blocks: blocks }: ChatMessage): boolean =>
  Array.isArray(blocks) && blocks.length > 0;

/** The tools of a chat body, `functions` included. */
export function toolsOf(params: JsonObject): readonly JsonObject[] {
  const tools = objectsAt(params, 'tools');
  if (tools.length > 0) return tools;
  return objectsAt(params, 'functions').map((definition) => ({ type: 'function', function: definition }));
}

export type ToolChoice =
  | { readonly kind: 'auto' | 'required' | 'none' }
  | { readonly kind: 'tool'; readonly name: string };

/** The tool choice, `function_call` included; undefined when absent or unknown. */
export function toolChoiceOf(params: JsonObject): ToolChoice | undefined {
  const choice = params['tool_choice'] ?? params['function_call'];
  if (choice === 'auto' || choice === 'required' || choice === 'none') return { kind: choice };
  if (!isObject(choice)) return undefined;
  const name = textAt(objectAt(choice, 'function'), 'name') ?? textAt(choice, 'name');
  return name === undefined ? undefined : { kind: 'tool', name };
}

/** The schema of a `json_schema` response format; some clients send it without its wrapper. */
export function responseSchemaOf(params: JsonObject): JsonObject | undefined {
  const format = objectAt(params, 'response_format');
  if (format?.['type'] !== 'json_schema') return undefined;
  const wrapper = objectAt(format, 'json_schema');
  return objectAt(wrapper, 'schema') ?? wrapper;
}
