/** Parts of a chat message as content blocks of the messages format. */
import type { JsonObject } from '../contract.ts';
import type { ContentPart } from '../openai/index.ts';
import { type FilePart, filePartOf, imageUrlOf, parseDataUrl, textOfPart } from '../openai/index.ts';
import { refusePart } from '../parts/parts.ts';

export type Block = JsonObject;

const HTTP = /^https?:\/\//i;
const DEFAULT_DOCUMENT_TYPE = 'application/pdf';

/** A part of a user or tool message as a block; undefined for empty text. Throws UnsupportedPart. */
export function toBlock(part: ContentPart): Block | undefined {
  const block = toPlainBlock(part);
  return block === undefined ? undefined : withCacheControl(block, part['cache_control']);
}

/** The block with a cache breakpoint, if there is one. */
export function withCacheControl(block: Block, cacheControl: unknown): Block {
  return cacheControl === undefined || cacheControl === null ? block : { ...block, cache_control: cacheControl };
}

function toPlainBlock(part: ContentPart): Block | undefined {
  const url = imageUrlOf(part);
  if (url !== undefined) return toImageBlock(url) ?? refusePart(part);
  const file = filePartOf(part);
  return file === undefined ? toTextBlock(textOfPart(part)) : (toDocumentBlock(file) ?? refusePart(part));
}

/** Empty text is left out: the upstream refuses such blocks. */
export function toTextBlock(text: unknown): Block | undefined {
  return typeof text === 'string' && text !== '' ? { type: 'text', text } : undefined;
}

function toImageBlock(url: string): Block | undefined {
  const data = parseDataUrl(url);
  if (data === undefined) return HTTP.test(url) ? { type: 'image', source: { type: 'url', url } } : undefined;
  return toMediaBlock(mediaType(data.mimeType), data.data);
}

function toDocumentBlock(file: FilePart): Block | undefined {
  if (file.url !== undefined) return { type: 'document', source: { type: 'url', url: file.url } };
  if (file.id !== undefined) return { type: 'document', source: { type: 'file', file_id: file.id } };
  if (file.data === undefined) return undefined;
  const type = mediaType(file.mimeType ?? DEFAULT_DOCUMENT_TYPE);
  if (type !== 'text/plain') return toMediaBlock(type, file.data, 'document');
  const text = Buffer.from(file.data, 'base64').toString('utf8');
  return { type: 'document', source: { type: 'text', media_type: type, data: text } };
}

/** Images and PDF files are distinguished by media type, whatever the type of the part. */
function toMediaBlock(type: string, data: string, other: 'image' | 'document' = 'image'): Block {
  const known = type.startsWith('image/') ? 'image' : other;
  return {
    type: type === DEFAULT_DOCUMENT_TYPE ? 'document' : known,
    source: { type: 'base64', media_type: type, data },
  };
}

/** Without parameters, and `image/jpeg` for `image/jpg`, which the upstream refuses. */
function mediaType(mimeType: string): string {
  const type = mimeType.split(';', 1)[0] ?? mimeType;
  return type === 'image/jpg' ? 'image/jpeg' : type;
}
