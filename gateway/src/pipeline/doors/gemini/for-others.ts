/** A chat for models of other vendors: without what Gemini alone reads in messages. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, textAt } from '../../../wire/json/json.ts';

/** A parameter that endpoints of Gemini name. */
const OF_GEMINI = 'google_tools';

export const forOthers = { ownParam: OF_GEMINI, params: plainParams };

function plainParams(params: JsonObject): JsonObject {
  const { messages, thinking_config: _, ...rest } = params;
  return { ...rest, messages: Array.isArray(messages) ? messages.map(plainMessage) : messages };
}

function plainMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { content, tool_calls: calls } = message;
  const isList = Array.isArray(content);
  if (!isList && !Array.isArray(calls)) return message;
  const parts = isList ? content.map(plainPart) : [];
  const isText = parts.every((part) => isObject(part) && part['type'] === 'text');
  return {
    ...message,
    ...(isList ? { content: isText && message['role'] === 'assistant' ? joined(parts) : parts } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(plainCall) } : {}),
  };
}

const joined = (parts: readonly unknown[]): string =>
  parts.map((part) => (isObject(part) ? (textAt(part, 'text') ?? '') : '')).join('');

function plainPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  const { thought_signature: _, ...rest } = part;
  switch (rest['type']) {
    case 'executable_code':
      return { type: 'text', text: fenced(textAt(objectAt(rest, 'executable_code'), 'code') ?? '') };
    case 'code_execution_result':
      return { type: 'text', text: fenced(textAt(objectAt(rest, 'code_execution_result'), 'output') ?? '') };
    case 'image_url':
      return { ...rest, image_url: plainMedia(objectAt(rest, 'image_url')) };
    case 'file':
      return { ...rest, file: plainMedia(objectAt(rest, 'file')) };
    default:
      return rest;
  }
}

const fenced = (text: string): string => `\n\`\`\`\n${text}\n\`\`\`\n`;

const plainMedia = ({ media_resolution: _, video_metadata: _video, ...rest }: JsonObject = {}): JsonObject => rest;

function plainCall(call: unknown): unknown {
  const called = isObject(call) ? objectAt(call, 'function') : undefined;
  if (!isObject(call) || called === undefined) return call;
  const { thought_signature: _, ...rest } = called;
  return { ...call, function: rest };
}
