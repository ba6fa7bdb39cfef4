/** Cohere's v2 embeddings. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectAt, textAt, withoutAbsent } from '../json/json.ts';
import { embeddingsBody, promptUsage } from '../openai/index.ts';
import { inputTokens } from './usage.ts';

/** The body of `embed`; the error names what cannot be embedded. */
export function toCohereEmbedBody(params: JsonObject, model: string): Result<JsonObject, string> {
  const { input } = params;
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const texts = items.map(textOfItem).filter((text) => text !== undefined);
  const images = items.map(imageOfItem).filter((image) => image !== undefined);
  if (texts.length + images.length < items.length) return err('input must be texts, or objects with text or image');
  return ok(
    withoutAbsent({
      model,
      texts: texts.length === 0 ? undefined : texts,
      images: images.length === 0 ? undefined : images,
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
  if (!isObject(item) || textOfItem(item) !== undefined) return undefined;
  const image = objectAt(item, 'image');
  return textAt(image, 'base64') ?? textAt(image, 'url');
}

function typesOf(params: JsonObject): readonly string[] {
  const format = params['encoding_format'];
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
  const usage = tokens === undefined ? undefined : promptUsage(tokens);
  return ok(embeddingsBody({ provider: ctx.provider, model: ctx.model, vectors, usage }));
}
