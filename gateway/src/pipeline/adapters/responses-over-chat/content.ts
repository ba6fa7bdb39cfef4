/** Contents of input items as contents of chat messages. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { ChatMessage, ContentPart } from '../../../wire/openai/index.ts';
import { refuseContent, refuseShape, shownType } from './refusals.ts';

/** Where a member stands in the request, and who is asked. */
export interface Place {
  readonly path: string;
  readonly provider: string;
  /** Where each part of the chat comes from, for errors about it. */
  readonly places: WeakMap<object, string>;
}

export type ChatContent = NonNullable<ChatMessage['content']>;

/** A single plain text becomes a string. Throws AppError for what a chat cannot say. */
export function toChatContent(content: unknown, place: Place): ChatContent {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return refuseShape(place.path, 'a text or a list of parts');
  const parts = content.map((part: unknown, i) => toChatPart(part, { ...place, path: `${place.path}[${i}]` }));
  const [first] = parts;
  const isPlain = parts.length === 1 && first?.type === 'text' && first['cache_control'] === undefined;
  return isPlain ? String(first['text']) : parts;
}

type Convert = (part: JsonObject, place: Place) => ContentPart;

const PARTS: ReadonlyMap<unknown, Convert> = new Map<unknown, Convert>([
  ['input_text', toTextPart],
  ['output_text', toTextPart],
  ['text', toTextPart],
  ['refusal', (part, place) => ({ type: 'refusal', refusal: requiredText(part, 'refusal', place) })],
  ['input_image', toImagePart],
  ['input_file', toFilePart],
  ['input_audio', (part) => ({ type: 'input_audio', input_audio: part['input_audio'] })],
]);

function toChatPart(part: unknown, place: Place): ContentPart {
  if (!isObject(part)) return refuseShape(place.path, 'an object');
  const convert = PARTS.get(part['type']);
  if (convert === undefined) {
    return refuseContent(place.path, { provider: place.provider, what: `part ${shownType(part['type'])}` });
  }
  const made = convert(part, place);
  const cacheControl = part['cache_control'] ?? undefined;
  const whole = cacheControl === undefined ? made : { ...made, cache_control: cacheControl };
  place.places.set(whole, place.path);
  return whole;
}

function toTextPart(part: JsonObject, place: Place): ContentPart {
  return { type: 'text', text: requiredText(part, 'text', place) };
}

function requiredText(part: JsonObject, member: string, { path }: Place): string {
  return textAt(part, member) ?? refuseShape(`${path}.${member}`, 'a text');
}

function toImagePart(part: JsonObject, { path, provider }: Place): ContentPart {
  const url = textAt(part, 'image_url') ?? textAt(objectAt(part, 'image_url'), 'url');
  if (url !== undefined) return { type: 'image_url', image_url: withoutAbsent({ url, detail: part['detail'] }) };
  if (textAt(part, 'file_id') === undefined) return refuseShape(`${path}.image_url`, 'a URL');
  return refuseContent(path, { provider, what: 'image by file_id' });
}

const FILE_MEMBERS = ['filename', 'file_data', 'file_id', 'file_url'] as const;

function toFilePart(part: JsonObject, { path }: Place): ContentPart {
  const file = withoutAbsent(Object.fromEntries(FILE_MEMBERS.map((name) => [name, textAt(part, name)])));
  if (Object.keys(file).every((name) => name === 'filename')) {
    return refuseShape(path, 'a file with file_data, file_url or file_id');
  }
  return { type: 'file', file };
}
