/** Images, audio and files of a message as Gemini parts. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { objectAt, textAt, withoutAbsent } from '../json/json.ts';
import type { ContentPart } from '../openai/index.ts';
import {
  type DataUrl,
  type FilePart,
  filePartOf,
  imageUrlOf,
  isBase64,
  messagesOf,
  mimeTypeOfUrl,
  parseDataUrl,
  partsOf,
  textOfPart,
} from '../openai/index.ts';
import { refusePart } from '../parts/parts.ts';

export type GeminiPart = JsonObject;

/** Media that was downloaded for the request, by its URL. */
export type InlineMedia = ReadonlyMap<string, DataUrl>;

/** A URL of a request that Gemini does not fetch itself. */
export interface RemoteMedia {
  readonly url: string;
  /** Media type given by the client. */
  readonly mimeType: string | undefined;
}

const REMOTE = /^(?:https?|gs):\/\//i;
const HTTP = /^https?:\/\//i;

/** Hosts whose URLs the Gemini API fetches itself: uploaded files and videos. Source: ai.google.dev, "File input methods". */
const READ_BY_GEMINI: ReadonlySet<string> = new Set([
  'generativelanguage.googleapis.com',
  'www.youtube.com',
  'youtube.com',
  'm.youtube.com',
  'youtu.be',
]);

const AUDIO_MIME_TYPES: ReadonlyMap<string, string> = new Map([
  ...['mp3', 'wav', 'opus', 'ogg', 'flac', 'mpeg', 'mpga', 'mp4', 'webm'].map((format): [string, string] => [
    format,
    `audio/${format}`,
  ]),
  ['pcm16', 'audio/pcm'],
  ['pcm', 'audio/pcm'],
  ['aac', 'audio/aac'],
  ['x-aac', 'audio/aac'],
  ['m4a', 'audio/m4a'],
  ['x-m4a', 'audio/m4a'],
]);

/** A content part as a Gemini part; undefined for empty texts. Throws UnsupportedPart. */
export function toGeminiPart(part: ContentPart, media: InlineMedia): GeminiPart | undefined {
  const made = ownPart(part, media);
  const signature = textAt(part, 'thought_signature');
  if (signature === undefined) return made;
  return { ...(made ?? { text: '' }), thoughtSignature: signature };
}

function ownPart(part: ContentPart, media: InlineMedia): GeminiPart | undefined {
  switch (part.type) {
    case 'executable_code':
      return { executableCode: objectAt(part, 'executable_code') ?? refusePart(part) };
    case 'code_execution_result':
      return { codeExecutionResult: objectAt(part, 'code_execution_result') ?? refusePart(part) };
    case 'image_url':
      return imagePart(part, media) ?? refusePart(part);
    case 'input_audio':
      return audioPart(part) ?? refusePart(part);
    case 'file':
      return filePart(part, media) ?? refusePart(part);
    default: {
      const text = textOfPart(part);
      return text === '' ? undefined : { text };
    }
  }
}

/** The http(s) URLs of a request's images and files that have to be downloaded for the Gemini API, each once. */
export function remoteMediaOf(params: JsonObject): readonly RemoteMedia[] {
  const found = new Map<string, RemoteMedia>();
  for (const part of messagesOf(params).flatMap((message) => partsOf(message.content))) {
    const remote = remoteOf(part);
    if (remote !== undefined && !found.has(remote.url)) found.set(remote.url, remote);
  }
  return [...found.values()];
}

function remoteOf(part: ContentPart): RemoteMedia | undefined {
  const file = filePartOf(part);
  const url = imageUrlOf(part) ?? (file?.data === undefined ? file?.url : undefined);
  if (url === undefined || !HTTP.test(url) || !URL.canParse(url)) return undefined;
  if (READ_BY_GEMINI.has(new URL(url).hostname)) return undefined;
  return { url, mimeType: imageMember(part, 'mime_type') ?? file?.mimeType };
}

function imageMember(part: ContentPart, key: string): string | undefined {
  const image = part['image_url'];
  return isObject(image) ? textAt(image, key) : undefined;
}

function imagePart(part: ContentPart, media: InlineMedia): GeminiPart | undefined {
  const url = imageUrlOf(part);
  if (url === undefined) return undefined;
  const source = REMOTE.test(url) ? linked(url, imageMember(part, 'mime_type'), media) : inlineImage(url);
  if (source === undefined) return undefined;
  return withoutAbsent({ ...source, mediaResolution: resolutionOf(objectAt(part, 'image_url')) });
}

/** A level, or an object that has one. */
function resolutionOf(source: JsonObject | undefined): unknown {
  const { media_resolution: level } = source ?? {};
  return typeof level === 'string' || isObject(level) ? level : undefined;
}

/** Older clients send JPEG as bare base64. */
function inlineImage(url: string): GeminiPart | undefined {
  const data = parseDataUrl(url) ?? (isBase64(url) ? { mimeType: 'image/jpeg', data: url } : undefined);
  return data && inline(data);
}

function audioPart(part: ContentPart): GeminiPart | undefined {
  const audio = part['input_audio'];
  if (!isObject(audio)) return undefined;
  const data = textAt(audio, 'data');
  const format = textAt(audio, 'format') ?? '';
  return data === undefined ? undefined : inline({ mimeType: AUDIO_MIME_TYPES.get(format) ?? format, data });
}

/** Gemini requires a MIME type for inline data; the chat format documents PDF for files. */
function filePart(part: ContentPart, media: InlineMedia): GeminiPart | undefined {
  const file = filePartOf(part);
  const source = file && fileSource(file, media);
  const given = objectAt(part, 'file');
  return (
    source &&
    withoutAbsent({
      ...source,
      mediaResolution: resolutionOf(given),
      videoMetadata: objectAt(given, 'video_metadata'),
    })
  );
}

function fileSource(file: FilePart, media: InlineMedia): GeminiPart | undefined {
  if (file.data !== undefined) {
    const guess = file.name === undefined ? undefined : mimeTypeOfUrl(file.name);
    return inline({ mimeType: file.mimeType ?? guess ?? 'application/pdf', data: file.data });
  }
  return file.url === undefined ? undefined : linked(file.url, file.mimeType, media);
}

const inline = ({ mimeType, data }: DataUrl): GeminiPart => ({ inlineData: { mimeType, data } });

function linked(url: string, mimeType: string | undefined, media: InlineMedia): GeminiPart {
  const downloaded = media.get(url);
  if (downloaded !== undefined) return inline(downloaded);
  return { fileData: withoutAbsent({ mimeType: mimeType ?? mimeTypeOfUrl(url), fileUri: url }) };
}
