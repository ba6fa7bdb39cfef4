/** Embeddings of the Gemini API (`embedContent`) and of Vertex AI (`predict`). */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, orAbsent, textAt, withoutAbsent } from '../json/json.ts';
import { embeddingsBody, encodeVector, parseDataUrl, promptUsage } from '../openai/index.ts';

/** Whether the input is a list, which goes to `batchEmbedContents`. */
export const isEmbeddingBatch = (params: JsonObject): boolean => Array.isArray(params['input']);

/** The body of `embedContent`, or of `batchEmbedContents` for a list; the error names what cannot be embedded. */
export function toEmbedContentBody(params: JsonObject, model: string): Result<JsonObject, string> {
  const { input } = params;
  const settings = {
    outputDimensionality: params['dimensions'],
    taskType: params['task_type'],
    title: params['title'],
  };
  const request = (parts: readonly JsonObject[]): JsonObject => withoutAbsent({ content: { parts }, ...settings });
  const items = (Array.isArray(input) ? input : [input]).map(partsOfItem);
  const [first = []] = items;
  if (items.some((parts) => parts.length === 0))
    return err('input must be texts, or objects with text or an image in base64');
  if (!Array.isArray(input)) return ok(request(first));
  return ok({ requests: items.map((parts) => ({ model: `models/${model}`, ...request(parts) })) });
}

/** A text, an image, or both. */
function partsOfItem(item: unknown): readonly JsonObject[] {
  const text = typeof item === 'string' ? item : isObject(item) ? textAt(item, 'text') : undefined;
  const given = isObject(item) ? textAt(objectAt(item, 'image'), 'base64') : undefined;
  const image = given === undefined ? undefined : (parseDataUrl(given) ?? { mimeType: 'image/png', data: given });
  return [...(text === undefined ? [] : [{ text }]), ...(image === undefined ? [] : [{ inlineData: { ...image } }])];
}

/** An answer of `embedContent` or `batchEmbedContents`. */
export function fromEmbedContent(body: unknown, ctx: WireContext): Result<JsonObject, string> {
  if (!isObject(body)) return err('the answer is no object');
  const single = objectAt(body, 'embedding');
  const embeddings = single === undefined ? objectsAt(body, 'embeddings') : [single];
  if (embeddings.length === 0) return err('the answer has no embeddings');
  const vectors = embeddings.map((embedding) => vectorOf(embedding['values'], ctx));
  const tokens = numberAt(objectAt(body, 'usageMetadata'), 'promptTokenCount');
  return ok(answerOf(vectors, tokens, ctx));
}

/** The body of `predict`: texts, or objects that mix text, image and video; the error names what cannot be embedded. */
export function toPredictBody(params: JsonObject): Result<JsonObject, string> {
  const { input } = params;
  const items = Array.isArray(input) ? input : [input];
  const instances = items.map((item) => toInstance(item, params));
  if (!instances.every((instance) => instance !== undefined)) return err('input must be texts or objects');
  const multimodal = items.some(isObject);
  const parameters = orAbsent(
    withoutAbsent({
      ...objectAt(params, 'parameters'),
      autoTruncate: params['auto_truncate'],
      [multimodal ? 'dimension' : 'outputDimensionality']: params['dimensions'],
    }),
  );
  return ok(withoutAbsent({ instances, parameters }));
}

function toInstance(item: unknown, params: JsonObject): JsonObject | undefined {
  if (typeof item === 'string') {
    return withoutAbsent({ content: item, task_type: params['task_type'], title: params['title'] });
  }
  if (!isObject(item)) return undefined;
  const video = objectAt(item, 'video');
  return withoutAbsent({
    text: item['text'],
    image: toMedia(objectAt(item, 'image')),
    video: video && withoutAbsent({ ...toMedia(video), videoSegmentConfig: toSegment(video) }),
  });
}

function toMedia(media: JsonObject | undefined): JsonObject | undefined {
  const bytes = textAt(media, 'base64');
  const dataUrl = bytes === undefined ? undefined : parseDataUrl(bytes);
  return (
    media &&
    withoutAbsent({ gcsUri: media['url'], bytesBase64Encoded: dataUrl?.data ?? bytes, mimeType: dataUrl?.mimeType })
  );
}

const toSegment = (video: JsonObject): JsonObject | undefined =>
  orAbsent(
    withoutAbsent({
      startOffsetSec: video['start_offset'],
      endOffsetSec: video['end_offset'],
      intervalSec: video['interval'],
    }),
  );

/** An answer of `predict`. */
export function fromPredict(body: unknown, ctx: WireContext): Result<JsonObject, string> {
  if (!isObject(body) || !Array.isArray(body['predictions'])) return err('the answer has no predictions');
  const predictions = objectsAt(body, 'predictions');
  const counts = predictions
    .map((prediction) => numberAt(objectAt(objectAt(prediction, 'embeddings'), 'statistics'), 'token_count'))
    .filter((count) => count !== undefined);
  const tokens = counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
  return ok({ ...answerOf([], tokens, ctx), data: predictions.map((prediction, at) => toItem(prediction, at, ctx)) });
}

const answerOf = (vectors: readonly unknown[], tokens: number | undefined, ctx: WireContext): JsonObject =>
  embeddingsBody({
    provider: ctx.provider,
    model: ctx.model,
    vectors,
    usage: tokens === undefined ? undefined : promptUsage(tokens),
  });

/** One prediction may hold the vectors of a text, an image and the segments of a video. */
function toItem(prediction: JsonObject, index: number, ctx: WireContext): JsonObject {
  const text = objectAt(prediction, 'embeddings')?.['values'] ?? prediction['textEmbedding'];
  const videos = objectsAt(prediction, 'videoEmbeddings');
  return withoutAbsent({
    object: 'embedding',
    index,
    embedding: text === undefined ? undefined : vectorOf(text, ctx),
    image_embedding: prediction['imageEmbedding'],
    video_embeddings: videos.length === 0 ? undefined : videos.map(toVideoEmbedding),
  });
}

const toVideoEmbedding = (video: JsonObject, index: number): JsonObject =>
  withoutAbsent({
    object: 'embedding',
    embedding: video['embedding'],
    index,
    start_offset: video['startOffsetSec'],
    end_offset: video['endOffsetSec'],
  });

const vectorOf = (values: unknown, { params }: WireContext): readonly unknown[] | string =>
  encodeVector(Array.isArray(values) ? values : [], params);
