/** Embeddings of AI21. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectsAt, withoutAbsent } from '../json/json.ts';
import { embeddingsBody, encodeVector } from '../openai/index.ts';

/** The body; the error names what cannot be embedded. */
export function toJurassicEmbedding({ input, type }: JsonObject): Result<JsonObject, string> {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  return texts.length > 0 && texts.every((item) => typeof item === 'string')
    ? ok(withoutAbsent({ texts, type }))
    : err('input must be a text or a list of texts');
}

/** The answer; the upstream reports no usage. */
export function fromJurassicEmbedding(body: unknown, ctx: WireContext): Result<JsonObject, string> {
  if (!isObject(body) || !Array.isArray(body['results'])) return err('the answer has no results');
  const vectors = objectsAt(body, 'results').map(({ embedding }) =>
    encodeVector(Array.isArray(embedding) ? embedding : [], ctx.params),
  );
  return ok(embeddingsBody({ provider: ctx.provider, model: ctx.model, vectors }));
}
