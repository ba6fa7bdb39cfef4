/** Content blocks of users and of tool results as parts of a chat message. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { ContentPart } from '../../../wire/openai/index.ts';
import type { Path, Places } from './places.ts';
import { refuseBlock, refuseValue } from './refuse.ts';

/** What the reading of blocks needs to know. */
export interface Reading {
  readonly provider: string;
  readonly places: Places;
}

export interface PlacedBlock {
  readonly block: JsonObject;
  readonly path: Path;
}

const DOCUMENT_NAME = 'document.pdf';

/** The blocks of a content; a text is one block. Throws PARAMETER_INVALID. */
export function blocksOf(content: unknown, path: Path): readonly PlacedBlock[] {
  if (typeof content === 'string') return [{ block: { type: 'text', text: content }, path }];
  if (!Array.isArray(content)) return refuseValue(path, 'is a text or a list of content blocks');
  return content.map((block: unknown, i) =>
    isObject(block) ? { block, path: [...path, i] } : refuseValue([...path, i], 'is a content block'),
  );
}

/** The parts of one block, as far as it says anything. Throws CONTENT_UNSUPPORTED. */
export function toParts(placed: PlacedBlock, reading: Reading): readonly ContentPart[] {
  const { block, path } = placed;
  const note = (part: ContentPart): readonly ContentPart[] => [reading.places.note(part, path)];
  switch (block['type']) {
    case 'text':
      return textParts(textAt(block, 'text') ?? '').flatMap(note);
    case 'image':
      return note(toImage(placed, reading));
    case 'document':
      return toDocument(placed, reading);
    case 'search_result':
      return textParts(searchResultText(block)).flatMap(note);
    default:
      return refuseBlock(block, path, reading.provider);
  }
}

/** An empty text says nothing, and upstreams refuse it. */
const textParts = (text: string): readonly ContentPart[] => (text === '' ? [] : [{ type: 'text', text }]);

function toImage({ block, path }: PlacedBlock, { provider }: Reading): ContentPart {
  const source = objectAt(block, 'source');
  const url = source?.['type'] === 'url' ? textAt(source, 'url') : dataUrl(source);
  return url === undefined ? refuseBlock(block, path, provider) : { type: 'image_url', image_url: { url } };
}

function dataUrl(source: JsonObject | undefined): string | undefined {
  const data = textAt(source, 'data');
  const type = textAt(source, 'media_type');
  return source?.['type'] === 'base64' && data !== undefined && type !== undefined
    ? `data:${type};base64,${data}`
    : undefined;
}

/** A file that was uploaded to the provider. */
function uploadedFile(source: JsonObject | undefined): ContentPart | undefined {
  const id = source?.['type'] === 'file' ? textAt(source, 'file_id') : undefined;
  return id === undefined ? undefined : { type: 'file', file: { file_id: id } };
}

/** A text or a list of blocks stands for itself, behind its title and its context; other documents are files. */
function toDocument(placed: PlacedBlock, reading: Reading): readonly ContentPart[] {
  const { block, path } = placed;
  const source = objectAt(block, 'source');
  const about = textParts(linesOf([textAt(block, 'title'), textAt(block, 'context')]));
  const note = (part: ContentPart): ContentPart => reading.places.note(part, path);
  switch (source?.['type']) {
    case 'text':
      return [...about, ...textParts(textAt(source, 'data') ?? '')].map(note);
    case 'content': {
      const blocks = blocksOf(source['content'], [...path, 'source', 'content']);
      return [...about.map(note), ...blocks.flatMap((inner) => toParts(inner, reading))];
    }
    default: {
      const context = textParts(textAt(block, 'context') ?? '');
      return [...context, toFile(placed, reading)].map(note);
    }
  }
}

function toFile({ block, path }: PlacedBlock, { provider }: Reading): ContentPart {
  const source = objectAt(block, 'source');
  const name = textAt(block, 'title');
  const url = source?.['type'] === 'url' ? textAt(source, 'url') : undefined;
  if (url !== undefined) return { type: 'file', file: withoutAbsent({ file_url: url, filename: name }) };
  const data = dataUrl(source);
  if (data !== undefined) return { type: 'file', file: { filename: name ?? DOCUMENT_NAME, file_data: data } };
  return uploadedFile(source) ?? refuseBlock(block, path, provider);
}

function searchResultText(block: JsonObject): string {
  const content: unknown = block['content'];
  const texts = Array.isArray(content) ? content.filter(isObject).map((inner) => textAt(inner, 'text')) : [];
  return linesOf([textAt(block, 'title'), textAt(block, 'source'), ...texts]);
}

/** The texts that are there, each on a line of its own. */
export const linesOf = (texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join('\n');
