/** Messages of a chat request in OCI's generic format. */
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

const ROLES: ReadonlyMap<string, string> = new Map([
  ['assistant', 'ASSISTANT'],
  ['tool', 'TOOL'],
  ['function', 'TOOL'],
]);

/** Throws UnsupportedPart. */
export function toOciMessages(params: JsonObject): readonly JsonObject[] {
  return messagesOf(params).map((message) => toMessage(message, { ...message }));
}

function toMessage(message: ChatMessage, members: JsonObject): JsonObject {
  const content = partsOf(message.content)
    .filter((part) => !isForeignThought(part))
    .map((part) => toContent(part, message.role));
  const toolCalls = toolCallsOf(members['tool_calls']);
  return withoutAbsent({
    role: isSystem(message) ? 'SYSTEM' : (ROLES.get(message.role) ?? 'USER'),
    // Beside tool calls, an empty content would be taken for an answer.
    content: content.length === 0 && toolCalls !== undefined ? undefined : content,
    name: textAt(members, 'name'),
    toolCalls,
    toolCallId: textAt(members, 'tool_call_id'),
  });
}

/** Images and audio belong to what users say. */
function toContent(part: ContentPart, role: string): JsonObject {
  if (role === 'user' && part.type === 'image_url') return toImage(part);
  if (role === 'user' && part.type === 'input_audio') return toAudio(part);
  return { type: 'TEXT', text: textOfPart(part) };
}

const IMAGE_URL = /^(?:https?:\/\/|data:image\/[\w.+-]+;base64,)/i;

function toImage(part: ContentPart): JsonObject {
  const url = imageUrlOf(part);
  if (url === undefined || !IMAGE_URL.test(url)) refusePart(part);
  const detail = textAt(objectAt(part, 'image_url'), 'detail')?.toUpperCase();
  return { type: 'IMAGE', imageUrl: withoutAbsent({ url, detail }) };
}

function toAudio(part: ContentPart): JsonObject {
  const audio = objectAt(part, 'input_audio');
  const data = textAt(audio, 'data');
  if (data === undefined) return refusePart(part);
  const url = data.startsWith('data:') ? data : `data:audio/${textAt(audio, 'format') ?? 'wav'};base64,${data}`;
  return { type: 'AUDIO', audioUrl: { url } };
}

function toolCallsOf(calls: unknown): readonly JsonObject[] | undefined {
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  return calls.filter(isObject).map((call) => {
    const called = objectAt(call, 'function');
    const given = called?.['arguments'];
    return withoutAbsent({
      id: call['id'],
      type: 'FUNCTION',
      name: called?.['name'],
      arguments: isObject(given) ? JSON.stringify(given) : typeof given === 'string' && given !== '' ? given : '{}',
    });
  });
}
