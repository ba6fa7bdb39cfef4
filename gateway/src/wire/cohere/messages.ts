/** Messages of a chat request in Cohere's format. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { objectAt, textAt, withoutAbsent } from '../json/json.ts';
import {
  type ChatMessage,
  type ContentPart,
  imageUrlOf,
  isForeignThought,
  isSystem,
  messagesOf,
  partsOf,
  textOfPart,
} from '../openai/index.ts';
import { refusePart } from '../parts/parts.ts';

export function toCohereMessages(params: JsonObject): readonly JsonObject[] {
  return messagesOf(params).map((message) => toMessage(message, { ...message }));
}

function toMessage(message: ChatMessage, members: JsonObject): JsonObject {
  const content = toContent(message);
  if (isSystem(message)) return withoutAbsent({ role: 'system', content });
  switch (message.role) {
    case 'assistant': {
      const calls = toolCallsOf(message);
      return withoutAbsent({
        role: 'assistant',
        content: content === '' && calls !== undefined ? undefined : content,
        tool_calls: calls,
        tool_plan: textAt(members, 'tool_plan'),
      });
    }
    case 'tool':
    case 'function':
      return withoutAbsent({ role: 'tool', tool_call_id: textAt(members, 'tool_call_id'), content });
    default:
      return withoutAbsent({ role: 'user', content });
  }
}

/** Texts stay texts. Throws UnsupportedPart. */
function toContent({ role, content }: ChatMessage): string | readonly JsonObject[] | undefined {
  if (typeof content === 'string') return content;
  const parts = role === 'assistant' ? partsOf(content).filter((part) => !isForeignThought(part)) : partsOf(content);
  return parts.length === 0 ? undefined : parts.map(toPart);
}

function toPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'image_url': {
      const url = imageUrlOf(part) ?? refusePart(part);
      const detail = textAt(objectAt(part, 'image_url'), 'detail');
      return { type: 'image_url', image_url: withoutAbsent({ url, detail }) };
    }
    case 'document': // the upstream's own part for tool results
      return part;
    default:
      return { type: 'text', text: textOfPart(part) };
  }
}

function toolCallsOf(message: ChatMessage): readonly JsonObject[] | undefined {
  const calls: unknown = message.tool_calls;
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  return calls.filter(isObject).map((call) => {
    const called = objectAt(call, 'function');
    return { id: call['id'], type: 'function', function: { name: called?.['name'], arguments: argumentsOf(called) } };
  });
}

/** JSON text; some clients send the object itself, or nothing for a call without arguments. */
function argumentsOf(called: JsonObject | undefined): string {
  const given = called?.['arguments'];
  if (isObject(given)) return JSON.stringify(given);
  return typeof given === 'string' && given !== '' ? given : '{}';
}
