/** Reading the messages of a chat request. */

import { isObject } from '@gatehouse/crds';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import type { JsonObject } from '../contract.ts';
import { refusePart } from '../parts/parts.ts';
import type { ChatMessage, ContentPart } from './chat.ts';

const SYSTEM_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

/** The messages of a body; what is not an object with a role is left out. */
export function messagesOf(params: JsonObject): readonly ChatMessage[] {
  const messages = params['messages'];
  if (!Array.isArray(messages)) return [];
  return messages.filter((item): item is ChatMessage => isObject(item) && typeof item['role'] === 'string');
}

export const isSystem = (message: ChatMessage): boolean => SYSTEM_ROLES.has(message.role);

/** The parts of a content; a plain text is one text part. Throws UnsupportedPart for a list with something else. */
export function partsOf(content: ChatMessage['content']): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.every(isPart) ? content : refusePart(content);
}

/** A part as clients send it: every member may be missing or of another type. */
const isPart = (part: unknown): part is ContentPart => isObject(part);

/** The text of a text part or a refusal. Throws UnsupportedPart for other parts. */
export function textOfPart(part: ContentPart): string {
  const text = part.type === 'refusal' ? part['refusal'] : part['text'];
  return (part.type === 'text' || part.type === 'refusal') && typeof text === 'string' ? text : refusePart(part);
}

/** The text of a content: the string itself, or its parts joined without a separator. Throws UnsupportedPart. */
export function textOf(content: ChatMessage['content']): string {
  return typeof content === 'string' ? content : partsOf(content).map(textOfPart).join('');
}

/** Base64, in either alphabet. */
const BASE64 = /^[\w+/-]+={0,2}$/;

/** Whether a text is nothing but base64. */
export const isBase64 = (text: string): boolean => BASE64.test(text);

/** The thoughts of another vendor's model in an earlier answer: not for this one, and left out. */
export const isForeignThought = ({ type }: ContentPart): boolean => type === 'thinking' || type === 'redacted_thinking';

export interface DataUrl {
  readonly mimeType: string;
  /** Base64 as it was sent. */
  readonly data: string;
}

/** Splits `data:MIME;base64,PAYLOAD` at the first `;base64,`. */
export function parseDataUrl(url: string): DataUrl | undefined {
  if (!url.startsWith('data:')) return undefined;
  const at = url.indexOf(';base64,');
  return at < 0 ? undefined : { mimeType: url.slice(5, at), data: url.slice(at + 8) };
}

const MIME_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['bmp', 'image/bmp'],
  ['tiff', 'image/tiff'],
  ['webp', 'image/webp'],
  ['pdf', 'application/pdf'],
  ['csv', 'text/csv'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['html', 'text/html'],
  ['md', 'text/markdown'],
  ['txt', 'text/plain'],
  ['mp3', 'audio/mp3'],
  ['wav', 'audio/wav'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/mov'],
  ['mpeg', 'video/mpeg'],
  ['mpg', 'video/mpg'],
  ['avi', 'video/avi'],
  ['wmv', 'video/wmv'],
  ['flv', 'video/flv'],
  ['webm', 'video/webm'],
  ['mkv', 'video/mkv'],
  ['mpegps', 'video/mpegps'],
  ['3gpp', 'video/three_gpp'],
]);

/** The MIME type a URL suggests by the extension of its path. */
export function mimeTypeOfUrl(url: string): string | undefined {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const dot = path.lastIndexOf('.');
  return dot < 0 ? undefined : MIME_BY_EXTENSION.get(path.slice(dot + 1).toLowerCase());
}

/** A file part of a message, normalised: base64 without data-URL prefix, one name. */
export interface FilePart {
  readonly data?: string;
  readonly url?: string;
  readonly id?: string;
  readonly name?: string;
  readonly mimeType?: string;
}

/** Reads `{type: "file", file: {...}}`. */
export function filePartOf(part: ContentPart): FilePart | undefined {
  const file = part['file'];
  if (part.type !== 'file' || !isObject(file)) return undefined;
  const text = (key: string): string | undefined => {
    const value = file[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const raw = text('file_data');
  const dataUrl = raw === undefined ? undefined : parseDataUrl(raw);
  const fields = {
    data: dataUrl?.data ?? raw,
    url: text('file_url'),
    id: text('file_id'),
    name: text('file_name') ?? text('filename'),
    mimeType: text('mime_type') ?? dataUrl?.mimeType,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The URL of an image part, as text or as an object. */
export function imageUrlOf(part: ContentPart): string | undefined {
  const image = part['image_url'];
  if (part.type !== 'image_url') return undefined;
  if (typeof image === 'string') return image;
  return isObject(image) && typeof image['url'] === 'string' ? image['url'] : undefined;
}

/** The arguments of a tool call as an object: JSON text parsed, empty or broken text gives `{}`. */
export function parseArguments(text: unknown): Readonly<Record<string, unknown>> {
  if (isObject(text)) return text;
  if (typeof text !== 'string' || text.trim() === '') return {};
  try {
    const value: unknown = readJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A string becomes a list of one; anything that is not text is left out. */
export function stopList(stop: unknown): readonly string[] | undefined {
  if (typeof stop === 'string') return [stop];
  if (!Array.isArray(stop)) return undefined;
  const list = stop.filter((item): item is string => typeof item === 'string');
  return list.length === 0 ? undefined : list;
}

/** `max_tokens`, else `max_completion_tokens`. */
export function maxTokensOf(params: JsonObject): number | undefined {
  for (const key of ['max_tokens', 'max_completion_tokens']) {
    const value = params[key];
    if (typeof value === 'number') return value;
  }
  return undefined;
}

/** The parsed JSON of a frame's data, or undefined when it is not an object. */
export function parseJsonObject(
  text: string | Buffer,
  limits?: JsonLimits,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = readJson(text, limits);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
