/** Messages of a conversation with Cohere as those of a chat. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { refuseShape } from '../refuse.ts';
import { list, object, text } from '../shape.ts';

const checkAssistant = object({
  tool_calls: list('a list of calls', object({ id: text, function: object({ name: text, arguments: text }) })),
  tool_plan: text,
});

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

/** Throws PARAMETER_INVALID. */
export function toChatMessages(messages: unknown): readonly object[] {
  if (!Array.isArray(messages)) return refuseShape('messages', 'a list of messages');
  return messages.map((message: unknown, i) =>
    isObject(message) ? toMessage(message, `messages[${i}]`) : refuseShape(`messages[${i}]`, 'a message'),
  );
}

function toMessage(message: JsonObject, path: string): object {
  const { role } = message;
  if (!ROLES.has(role)) return refuseShape(`${path}.role`, 'system, user, assistant or tool');
  const content = toContent(message['content'], `${path}.content`);
  if (role === 'tool') {
    const id = textAt(message, 'tool_call_id') ?? refuseShape(`${path}.tool_call_id`, 'a text');
    return { role, tool_call_id: id, content };
  }
  if (role !== 'assistant') return { role, content };
  checkAssistant(message, path);
  const calls = objectsAt(message, 'tool_calls');
  return withoutAbsent({
    role,
    content,
    tool_calls: calls.length === 0 ? undefined : calls.map(toCall),
    tool_plan: textAt(message, 'tool_plan'),
  });
}

function toCall(call: JsonObject): object {
  const called = objectAt(call, 'function');
  return {
    id: textAt(call, 'id') ?? '',
    type: 'function',
    function: { name: textAt(called, 'name') ?? '', arguments: textAt(called, 'arguments') ?? '{}' },
  };
}

/** Texts stay texts, and a document is the text of its data. */
function toContent(content: unknown, path: string): unknown {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return refuseShape(path, 'a text or a list of parts');
  const parts = content.flatMap((part: unknown, i) => toParts(part, `${path}[${i}]`));
  const [first] = parts;
  return parts.length === 1 && first?.['type'] === 'text' ? first['text'] : parts;
}

function toParts(part: unknown, path: string): readonly JsonObject[] {
  if (!isObject(part)) return refuseShape(path, 'a part of a content');
  switch (part['type']) {
    case 'text':
      return [{ type: 'text', text: textAt(part, 'text') ?? refuseShape(`${path}.text`, 'a text') }];
    case 'image_url':
      return [part];
    case 'document':
      return [{ type: 'text', text: documentText(part['document'], path) }];
    case 'thinking': // of an earlier turn, which no other model needs
      return [];
    default:
      return refuseShape(`${path}.type`, 'text, image_url, document or thinking');
  }
}

function documentText(document: unknown, path: string): string {
  const data = isObject(document) ? document['data'] : undefined;
  if (typeof data === 'string') return data;
  return isObject(data) ? JSON.stringify(data) : refuseShape(`${path}.document.data`, 'a text or an object');
}
