/** Parts of chat messages as Converse blocks. */
import { isSigned } from '../anthropic/index.ts';
import {
  type ChatMessage,
  type ContentPart,
  filePartOf,
  imageUrlOf,
  mimeTypeOfUrl,
  parseDataUrl,
  partsOf,
  textOfPart,
} from '../openai/index.ts';
import { refusePart } from '../parts/parts.ts';
import { type Block, type ContentScope, type Media, remoteSource, toMediaBlock } from './media.ts';

const CACHE_POINT: Block = { cachePoint: { type: 'default' } };

/** The blocks, then a cache point if the part has one. */
export function withCachePoint(blocks: readonly Block[], cacheControl: unknown): readonly Block[] {
  return blocks.length === 0 || isAbsent(cacheControl) ? blocks : [...blocks, CACHE_POINT];
}

/** A text block; blank text is left out: the upstream refuses it. */
export function toTextBlocks(text: unknown): readonly Block[] {
  return typeof text === 'string' && text.trim() !== '' ? [{ text }] : [];
}

/** The blocks of a user message or a tool result. Throws UnsupportedPart. */
export function toContent({ content, cache_control }: ChatMessage, scope: ContentScope): readonly Block[] {
  const blocks = partsOf(content).flatMap((part) => withCachePoint(toPartBlocks(part, scope), part['cache_control']));
  return withCachePoint(blocks, cache_control);
}

function toPartBlocks(part: ContentPart, scope: ContentScope): readonly Block[] {
  if (part.type !== 'image_url' && part.type !== 'file') return toTextBlocks(textOfPart(part));
  return [toMediaBlock(mediaOf(part, scope) ?? refusePart(part), scope)];
}

function mediaOf(part: ContentPart, scope: ContentScope): Media | undefined {
  const url = imageUrlOf(part);
  if (url !== undefined) return urlMedia(url, 'image/png', scope);
  const file = filePartOf(part);
  if (file === undefined) return undefined;
  const found =
    file.data === undefined ? file.url && urlMedia(file.url, undefined, scope) : { source: bytes(file.data) };
  if (!found) return undefined;
  return { ...found, mimeType: file.mimeType ?? found.mimeType, name: file.name };
}

/** `guess`: the type of a bucket's object whose name has no known extension. */
function urlMedia(url: string, guess: string | undefined, scope: ContentScope): Media | undefined {
  const data = parseDataUrl(url);
  if (data !== undefined) return { mimeType: data.mimeType, source: bytes(data.data) };
  const remote = remoteSource(url, scope);
  return remote && { ...remote, mimeType: remote.mimeType ?? mimeTypeOfUrl(url) ?? guess };
}

const bytes = (data: string): Block => ({ bytes: data });

/**
 * Earlier assistant messages; thinking is sent with its signature, unsigned thinking of other vendors is left out. Throws
 * UnsupportedPart.
 */
export function toAssistantBlocks(part: ContentPart, replayed: boolean): readonly Block[] {
  return withCachePoint(assistantBlocks(part, replayed), part['cache_control']);
}

function assistantBlocks(part: ContentPart, replayed: boolean): readonly Block[] {
  switch (part.type) {
    case 'text':
      return toTextBlocks(part['text']);
    case 'refusal':
      return toTextBlocks(part['refusal']);
    case 'thinking': {
      const { thinking: text, signature } = part;
      return isSigned(part) ? [{ reasoningContent: { reasoningText: { text, signature } } }] : [];
    }
    case 'redacted_thinking':
      return [{ reasoningContent: { redactedContent: part['data'] } }];
    case 'tool_use': // comes from the tool calls
      return [];
    default:
      return replayed ? [] : refusePart(part);
  }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
