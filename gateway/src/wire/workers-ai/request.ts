/** Chat requests and text completions as bodies of Workers AI. */
import { isObject, ok, type Result } from '@gatehouse/crds';
import type { AppError } from '../../errors/index.ts';
import type { JsonObject } from '../contract.ts';
import { objectAt, objectsAt, textAt, withoutAbsent } from '../json/json.ts';
import {
  type ChatMessage,
  type ContentPart,
  imageUrlOf,
  isForeignThought,
  isSystem,
  maxTokensOf,
  messagesOf,
  partsOf,
  promptOf,
  textOfPart,
} from '../openai/index.ts';
import { refusePart } from '../parts/parts.ts';
import { GENERATION } from './params.ts';

/** The body of a chat. Throws UnsupportedPart. */
export function toWorkersAiChat(params: JsonObject): JsonObject {
  const tools = objectsAt(params, 'tools');
  return withoutAbsent({
    messages: messagesOf(params).map((message) => toMessage(message, { ...message })),
    ...generation(params),
    tools: tools.length === 0 ? undefined : tools,
    response_format: toResponseFormat(params['response_format']),
  });
}

/** The body of a text completion. */
export function toWorkersAiCompletion(params: JsonObject): Result<JsonObject, AppError> {
  const prompt = promptOf(params);
  return prompt.ok ? ok(withoutAbsent({ prompt: prompt.value, ...generation(params) })) : prompt;
}

const generation = (params: JsonObject): JsonObject => ({
  ...Object.fromEntries(GENERATION.map((name) => [name, params[name]])),
  max_tokens: maxTokensOf(params),
  stream: params['stream'] === true ? true : undefined,
});

function toMessage(message: ChatMessage, members: JsonObject): JsonObject {
  const calls = objectsAt(members, 'tool_calls');
  const content = toContent(message);
  return withoutAbsent({
    role: isSystem(message) ? 'system' : message.role === 'function' ? 'tool' : message.role,
    content: content === '' && calls.length > 0 ? undefined : content,
    name: textAt(members, 'name'),
    tool_calls: calls.length === 0 ? undefined : calls,
    tool_call_id: textAt(members, 'tool_call_id'),
  });
}

/** Most models accept one text alone: a list is sent only where it has something else in it. Throws UnsupportedPart. */
function toContent({ content }: ChatMessage): string | readonly JsonObject[] {
  const parts = partsOf(content).filter((part) => !isForeignThought(part));
  if (parts.every((part) => part.type !== 'image_url')) return parts.map(textOfPart).join('');
  return parts.map(toPart);
}

function toPart(part: ContentPart): JsonObject {
  if (part.type !== 'image_url') return { type: 'text', text: textOfPart(part) };
  const url = imageUrlOf(part);
  return url === undefined || !IMAGE_URL.test(url) ? refusePart(part) : { type: 'image_url', image_url: { url } };
}

/** An address, or base64 in a data URL. */
const IMAGE_URL = /^(?:https?:\/\/|data:image\/[\w.+-]+;base64,)/i;

/** The schema alone, without the wrapper that has its name. */
function toResponseFormat(format: unknown): unknown {
  if (!isObject(format) || format['type'] === 'text') return undefined;
  if (format['type'] !== 'json_schema') return format;
  const wrapper = objectAt(format, 'json_schema');
  return { type: 'json_schema', json_schema: objectAt(wrapper, 'schema') ?? wrapper };
}
