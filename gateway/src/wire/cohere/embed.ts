/** Cohere's v2 embeddings. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectAt, textAt, withoutAbsent } from '../json/json.ts';
import { embeddingsBody, promptUsage } from '../openai/index.ts';
import { billedUnits, inputTokens } from './usage.ts';

/** The body of `embed`; the error names what cannot be embedded. */
export function toCohereEmbedBody(params: JsonObject, model: string): Result<JsonObject, string> {
  const { input } = params;
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const texts = items.map(textOfItem).filter((text) => text !== undefined);
  const images = items.map(imageOfItem).filter((image) => image !== undefined);
  const isMixed = texts.length > 0 && images.length > 0;
  const contents = items.map(contentOfItem);
  if (contents.some((content) => content.length === 0))
    return err('input must be texts, or objects with text or image');
  return ok(
    withoutAbsent({
      model,
      texts: texts.length === 0 || isMixed ? undefined : texts,
      images: images.length === 0 || isMixed ? undefined : images,
      inputs: isMixed ? contents.map((content) => ({ content })) : undefined,
      input_type: params['input_type'] ?? (texts.length === 0 ? 'image' : 'search_document'),
      truncate: params['truncate'],
      embedding_types: typesOf(params),
      output_dimension: params['dimensions'],
    }),
  );
}

const textOfItem = (item: unknown): string | undefined =>
  typeof item === 'string' ? item : isObject(item) ? textAt(item, 'text') : undefined;

function imageOfItem(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const image = objectAt(item, 'image');
  return textAt(image, 'base64') ?? textAt(image, 'url');
}

/** A text, an image, or both, for one vector. */
function contentOfItem(item: unknown): readonly JsonObject[] {
  const text = textOfItem(item);
  const url = imageOfItem(item);
  return [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...(url === undefined ? [] : [{ type: 'image_url', image_url: { url } }]),
  ];
}

function typesOf(params: JsonObject): readonly string[] {
  const format = params['embedding_types'] ?? params['encoding_format'];
  const types = (Array.isArray(format) ? format : [format]).filter((type) => typeof type === 'string');
  return types.length === 0 ? ['float'] : types;
}

/** An answer of `embed`: the vectors of the requested type. */
export function fromCohereEmbed(body: unknown, ctx: WireContext): Result<JsonObject, string> {
  if (!isObject(body)) return err('the answer is no object');
  const { embeddings } = body;
  const [wanted = 'float'] = typesOf(ctx.params);
  const vectors = isObject(embeddings) ? (embeddings[wanted] ?? Object.values(embeddings)[0]) : embeddings;
  if (!Array.isArray(vectors)) return err('the answer has no embeddings');
  const tokens = inputTokens(objectAt(body, 'meta'));
  const usage =
    tokens === undefined ? undefined : { ...promptUsage(tokens), ...billedUnits(objectAt(body, 'meta'), ctx.strict) };
  const answer = embeddingsBody({ provider: ctx.provider, model: ctx.model, vectors, usage });
  const isTyped = ctx.params['embedding_types'] !== undefined && isObject(embeddings);
  return ok(isTyped ? { ...answer, embeddings_by_type: embeddings } : answer);
}
