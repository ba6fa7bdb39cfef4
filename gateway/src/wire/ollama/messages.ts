/** Messages of a chat request in Ollama's format. */
import type { JsonObject } from '../contract.ts';
import { objectAt, objectsAt, textAt, withoutAbsent } from '../json/json.ts';
import {
  type ChatMessage,
  type ContentPart,
  imageUrlOf,
  isForeignThought,
  isSystem,
  messagesOf,
  parseArguments,
  parseDataUrl,
  partsOf,
  textOfPart,
} from '../openai/index.ts';
import { areFunctions } from '../params/params.ts';
import { refusePart } from '../parts/parts.ts';

/** Throws UnsupportedPart. */
export function toOllamaMessages(params: JsonObject): readonly JsonObject[] {
  const names = new Map<string, string>();
  return messagesOf(params).map((message) => toMessage(message, { ...message }, names));
}

/** `names`: of the functions that were called so far, by the ids of the calls. */
function toMessage(message: ChatMessage, members: JsonObject, names: Map<string, string>): JsonObject {
  const said = toContent(message);
  if (isSystem(message)) return { role: 'system', ...said };
  switch (message.role) {
    case 'assistant': {
      const calls = objectsAt(members, 'tool_calls');
      for (const call of calls) names.set(textAt(call, 'id') ?? '', nameOf(call));
      return withoutAbsent({
        role: 'assistant',
        ...said,
        thinking: textAt(members, 'thinking'),
        tool_calls: calls.length === 0 ? undefined : calls.map(toCall),
      });
    }
    case 'tool':
    case 'function': {
      const id = textAt(members, 'tool_call_id');
      const tool_name = textAt(members, 'tool_name') ?? names.get(id ?? '') ?? textAt(members, 'name');
      return withoutAbsent({ role: 'tool', ...said, tool_name, tool_call_id: id });
    }
    default:
      return { role: 'user', ...said };
  }
}

/** Texts are one text; images are apart. */
function toContent({ role, content }: ChatMessage): JsonObject {
  if (typeof content === 'string') return { content };
  const parts = role === 'assistant' ? partsOf(content).filter((part) => !isForeignThought(part)) : partsOf(content);
  const images = parts.filter(isImage).map(toImage);
  const text = parts.map((part) => (isImage(part) ? '' : textOfPart(part))).join('');
  return { content: text, ...(images.length === 0 ? {} : { images }) };
}

const isImage = ({ type }: ContentPart): boolean => type === 'image_url';

/** The server loads no URLs. */
const toImage = (part: ContentPart): string => parseDataUrl(imageUrlOf(part) ?? '')?.data ?? refusePart(part);

const nameOf = (call: JsonObject): string => textAt(objectAt(call, 'function'), 'name') ?? '';

const toCall = (call: JsonObject): JsonObject =>
  withoutAbsent({
    id: textAt(call, 'id'),
    function: { name: nameOf(call), arguments: parseArguments(objectAt(call, 'function')?.['arguments']) },
  });

/** Functions as they are, but none where none may be called. */
export function toOllamaTools({ tools, tool_choice: choice }: JsonObject): readonly JsonObject[] | undefined {
  if (choice === 'none' || !Array.isArray(tools) || tools.length === 0) return undefined;
  const functions = tools.filter((tool) => areFunctions([tool]));
  return functions.length === 0 ? undefined : functions;
}
