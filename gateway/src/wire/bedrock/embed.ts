/** Embeddings per model family. */

import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { scalarText } from '../../lib/scalar-text.ts';
import type { JsonObject } from '../contract.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../json/json.ts';

/** One thing to embed. */
export interface EmbedInput {
  readonly text?: string | undefined;
  /** Base64, or a data URL where the upstream requires one. */
  readonly image?: string | undefined;
}

/** The inputs of an embeddings call. Errors: `PARAMETER_INVALID` for token lists and other shapes. */
export function embedInputsOf(params: JsonObject): Result<readonly EmbedInput[], AppError> {
  const { input } = params;
  const inputs = (Array.isArray(input) ? input : [input]).map(toInput);
  const good = inputs.filter((item) => item !== undefined);
  if (good.length === inputs.length && good.length > 0) return ok(good);
  return err(
    new AppError('PARAMETER_INVALID', { param: 'input', detail: 'input must be text, or a list of texts or images' }),
  );
}

function toInput(item: unknown): EmbedInput | undefined {
  if (typeof item === 'string') return { text: item };
  if (!isObject(item)) return undefined;
  const text = textAt(item, 'text');
  const image = textAt(objectAt(item, 'image'), 'base64');
  return text === undefined && image === undefined ? undefined : { text, image };
}

/** The body for a model of cohere, which takes all inputs at once. */
export function toCohereEmbedBody(params: JsonObject, inputs: readonly EmbedInput[]): JsonObject {
  const texts = inputs.map(({ text }) => text).filter((text) => text !== undefined);
  const images = inputs.map(({ image }) => image).filter((image) => image !== undefined);
  return withoutAbsent({
    texts: texts.length === 0 ? undefined : texts,
    images: images.length === 0 ? undefined : images,
    input_type: params['input_type'] ?? (texts.length === 0 ? 'image' : 'search_document'),
    truncate: params['truncate'],
    embedding_types: encodingsOf(params),
    output_dimension: params['dimensions'],
  });
}

/** Models of the vendor with a single encoding. */
const ONE_ENCODING = ['amazon.titan-embed-g1-text-02', 'amazon.titan-embed-text-v1', 'amazon.titan-embed-image-v1'];

/** The body for a model of amazon, which takes one input per call. */
export function toTitanEmbedBody(params: JsonObject, input: EmbedInput, model: string): JsonObject {
  const encodings = encodingsOf(params)?.filter((encoding) => encoding !== BASE64);
  const dimensions = numberAt(params, 'dimensions');
  // Inputs written as objects are for the multimodal model, which has another name for the length.
  const isMultimodal = Array.isArray(params['input']) && params['input'].some(isObject);
  return withoutAbsent({
    inputText: input.text,
    inputImage: input.image,
    ...(isMultimodal ? { embeddingConfig: dimensions && { outputEmbeddingLength: dimensions } } : { dimensions }),
    embeddingTypes: encodings?.length && !ONE_ENCODING.some((id) => model.includes(id)) ? encodings : undefined,
    normalize: params['normalize'],
  });
}

/** The OpenAI encoding of floats as bytes; titan does not have it, so its floats are packed here. */
const BASE64 = 'base64';

function encodingsOf(params: JsonObject): readonly unknown[] | undefined {
  const format = params['encoding_format'];
  if (format === undefined || format === null) return undefined;
  return Array.isArray(format) ? format : [format];
}

const wantedEncoding = (params: JsonObject): string => scalarText(encodingsOf(params)?.[0]) || 'float';

/** The vectors of a cohere answer, in the requested encoding. */
export function cohereVectors(body: unknown, params: JsonObject): Result<readonly unknown[], string> {
  const embeddings = isObject(body) ? body['embeddings'] : undefined;
  if (Array.isArray(embeddings)) return ok(embeddings);
  if (!isObject(embeddings)) return err('the answer has no embeddings');
  const wanted = wantedEncoding(params);
  const { [wanted]: found, float } = embeddings;
  if (Array.isArray(found)) return ok(found);
  const floats = Array.isArray(float) ? float : Object.values(embeddings).find(Array.isArray);
  if (floats === undefined) return err('the answer has no embeddings');
  return ok(floats.map((vector: unknown) => (wanted === BASE64 && Array.isArray(vector) ? packed(vector) : vector)));
}

export interface TitanVector {
  readonly vector: unknown;
  /** Tokens of the input. */
  readonly tokens: number | undefined;
}

/** The vector of a titan answer, in the requested encoding. */
export function titanVector(body: unknown, params: JsonObject): Result<TitanVector, string> {
  if (!isObject(body)) return err('the answer is not an object');
  const wanted = wantedEncoding(params);
  const vector = objectAt(body, 'embeddingsByType')?.[wanted] ?? body['embedding'];
  if (!Array.isArray(vector)) return err('the answer has no embedding');
  const tokens = numberAt(body, 'inputTextTokenCount');
  return ok({ vector: wanted === BASE64 ? packed(vector) : vector, tokens });
}

/** 32-bit floats, little endian, as base64: the encoding of the OpenAI API. */
function packed(vector: readonly unknown[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => {
    bytes.writeFloatLE(typeof value === 'number' ? value : Number.NaN, i * 4);
  });
  return bytes.toString('base64');
}
