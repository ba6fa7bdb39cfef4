/** Blocks of the messages format as Converse blocks. */
import { isObject } from '@gatehouse/crds';
import { isSigned } from '../anthropic/index.ts';
import type { JsonObject } from '../contract.ts';
import { objectAt, textAt } from '../json/json.ts';
import { mimeTypeOfUrl } from '../openai/index.ts';
import { refusePart } from '../parts/parts.ts';
import { toTextBlocks, withCachePoint } from './content.ts';
import { type Block, type ContentScope, type Media, remoteSource, toMediaBlock } from './media.ts';

/** The blocks of a content: a text counts as one text block. Throws UnsupportedPart for a list with something else. */
export function messageBlocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.every(isObject) ? content : refusePart(content);
}

/** One block, followed by a cache point if it has one. Throws UnsupportedPart. */
export function toConverseBlocks(block: JsonObject, scope: ContentScope): readonly Block[] {
  return withCachePoint(convert(block, scope), block['cache_control']);
}

function convert(block: JsonObject, scope: ContentScope): readonly Block[] {
  switch (block['type']) {
    case 'text':
      return toTextBlocks(block['text']);
    case 'image':
    case 'document':
      return toMedia(block, scope);
    case 'thinking': {
      const { thinking: text, signature } = block;
      return isSigned(block) ? [{ reasoningContent: { reasoningText: { text, signature } } }] : [];
    }
    case 'redacted_thinking':
      return [{ reasoningContent: { redactedContent: block['data'] } }];
    case 'tool_use': {
      const { id: toolUseId, name, input } = block;
      return [{ toolUse: { toolUseId, name, input: input ?? {} } }];
    }
    case 'tool_result':
      return [{ toolResult: toToolResult(block, scope) }];
    default:
      return refusePart(block);
  }
}

/** A tool result may have texts, images and documents, but no cache points. */
function toToolResult(block: JsonObject, scope: ContentScope): JsonObject {
  const items = messageBlocksOf(block['content']).filter(({ type }) => type !== 'tool_result');
  return {
    toolUseId: block['tool_use_id'],
    content: items.flatMap((item) => convert(item, scope)),
    status: block['is_error'] === true ? 'error' : 'success',
  };
}

function toMedia(block: JsonObject, scope: ContentScope): readonly Block[] {
  const source = objectAt(block, 'source');
  const media = source === undefined ? undefined : mediaOf(source, scope, block['type'] === 'image');
  if (media === undefined) return refusePart(block);
  const converted = toMediaBlock({ ...media, name: textAt(block, 'title') }, scope);
  const document = objectAt(converted, 'document');
  const citations = objectAt(block, 'citations');
  return document === undefined || citations === undefined ? [converted] : [{ document: { ...document, citations } }];
}

function mediaOf(source: JsonObject, scope: ContentScope, isImage: boolean): Media | undefined {
  const mimeType = textAt(source, 'media_type');
  switch (source['type']) {
    case 'base64':
      return { mimeType, source: { bytes: source['data'] } };
    case 'text':
      return { mimeType: 'text/plain', source: { text: source['data'] } };
    case 'url': {
      const url = textAt(source, 'url') ?? '';
      const remote = remoteSource(url, scope);
      const guess = mimeTypeOfUrl(url) ?? (isImage ? 'image/png' : undefined);
      return remote && { ...remote, mimeType: mimeType ?? remote.mimeType ?? guess };
    }
    default:
      return undefined;
  }
}
