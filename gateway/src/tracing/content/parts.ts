/**
 * Messages as traces have them: a role and its parts.
 * Source: OpenTelemetry's semantic conventions for generative AI, gen-ai-input-messages.json and gen-ai-output-messages.json
 */
import { isObject } from '@gatehouse/crds';
import { readJson } from '../../lib/json/index.ts';

/** Of media there is the kind alone. */
export type Part =
  | { readonly type: 'text' | 'reasoning'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id?: string; readonly name: string; readonly arguments?: unknown }
  | { readonly type: 'tool_call_response'; readonly id?: string; readonly response: unknown }
  | { readonly type: MediaKind | 'other' };

export interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
}

type MediaKind = 'image' | 'audio' | 'video' | 'file';
type Json = Readonly<Record<string, unknown>>;

const MEDIA: ReadonlyMap<unknown, MediaKind> = new Map<unknown, MediaKind>([
  ['image', 'image'],
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['image_generation_call', 'image'],
  ['audio', 'audio'],
  ['input_audio', 'audio'],
  ['output_audio', 'audio'],
  ['video', 'video'],
  ['video_url', 'video'],
  ['file', 'file'],
  ['input_file', 'file'],
  ['document', 'file'],
]);
/** Longest role and longest name or id of a tool call, in characters. */
const MAX_NAME = 128;
const NO_PARTS: readonly Part[] = [];

export const textPart = (content: string): Part => ({ type: 'text', content });

/** One text, or a list of blocks in the formats of chat, messages and responses. */
export function partsOf(content: unknown): readonly Part[] {
  if (typeof content === 'string') return content === '' ? NO_PARTS : [textPart(content)];
  return Array.isArray(content) ? content.map(partOf) : NO_PARTS;
}

function partOf(block: unknown): Part {
  if (typeof block === 'string') return textPart(block);
  if (!isObject(block)) return { type: 'other' };
  const { type } = block;
  if (type === 'tool_use') return toolCall(block['id'], block['name'], block['input']);
  if (type === 'tool_result') return toolResponse(block['tool_use_id'], block['content']);
  const reasoning = block['thinking'] ?? (type === 'reasoning' ? summaryOf(block) : undefined);
  if (typeof reasoning === 'string') return { type: 'reasoning', content: reasoning };
  const media = MEDIA.get(type);
  if (media !== undefined) return { type: media };
  const text = block['text'] ?? block['refusal'];
  return typeof text === 'string' ? textPart(text) : { type: 'other' };
}

/** Of an item of responses. */
export function summaryOf({ summary, content }: Json): string | undefined {
  const texts = [summary, content].flatMap((list) => (Array.isArray(list) ? list : [])).map(textOf);
  const said = texts.filter((text) => text !== undefined);
  return said.length === 0 ? undefined : said.join('\n');
}

const textOf = (block: unknown): string | undefined =>
  isObject(block) && typeof block['text'] === 'string' ? block['text'] : undefined;

export function toolCall(id: unknown, name: unknown, given: unknown): Part {
  const args = typeof given === 'string' ? parsed(given) : given;
  return {
    type: 'tool_call',
    ...(typeof id === 'string' && { id: id.slice(0, MAX_NAME) }),
    name: typeof name === 'string' ? name.slice(0, MAX_NAME) : '',
    ...(args !== undefined && { arguments: args }),
  };
}

/** What a tool gave: its texts, without media. */
export function toolResponse(id: unknown, given: unknown): Part {
  const response = Array.isArray(given) ? partsOf(given) : typeof given === 'string' ? given : '';
  return { type: 'tool_call_response', ...(typeof id === 'string' && { id: id.slice(0, MAX_NAME) }), response };
}

/** Models write arguments as a text of JSON; one that nests too deep to be written again stays a text. */
function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

export const roleOf = ({ role }: Json, fallback: string): string =>
  typeof role === 'string' && role !== '' ? role.slice(0, MAX_NAME) : fallback;

/** A message of a chat. */
export function chatParts(message: Json): readonly Part[] {
  const { content, refusal, reasoning_content: reasoning, tool_calls: calls, tool_call_id: id } = message;
  if (message['role'] === 'tool') return [toolResponse(id, content)];
  return [
    ...(typeof reasoning === 'string' && reasoning !== '' ? [{ type: 'reasoning', content: reasoning } as const] : []),
    ...partsOf(content),
    ...(typeof refusal === 'string' ? [textPart(refusal)] : []),
    ...(isObject(message['audio']) ? [{ type: 'audio' } as const] : []),
    ...(Array.isArray(calls) ? calls.map(chatCall) : []),
  ];
}

function chatCall(call: unknown): Part {
  const of = isObject(call) ? call : {};
  const called = isObject(of['function']) ? of['function'] : isObject(of['custom']) ? of['custom'] : {};
  return toolCall(of['id'], called['name'], called['arguments'] ?? called['input']);
}

/** An item of responses in its input or output: the parts that it adds to a message. */
export function itemParts(item: Json): readonly Part[] {
  const { type } = item;
  if (type === 'function_call' || type === 'custom_tool_call')
    return [toolCall(item['call_id'], item['name'], item['arguments'] ?? item['input'])];
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [toolResponse(item['call_id'], item['output'])];
  if (type === 'message' || (type === undefined && item['role'] !== undefined)) return partsOf(item['content']);
  return [partOf(item)];
}
