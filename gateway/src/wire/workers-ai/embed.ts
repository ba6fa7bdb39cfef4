/** Embeddings of Workers AI. */
import { err, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { embeddingsBody, encodeVector } from '../openai/index.ts';
import { resultOf } from './answer.ts';

/** The body; the error names what cannot be embedded. */
export function toWorkersAiEmbedding({ input }: JsonObject): Result<JsonObject, string> {
  const text: readonly unknown[] = Array.isArray(input) ? input : [input];
  return text.length > 0 && text.every((item) => typeof item === 'string')
    ? ok({ text })
    : err('input must be a text or a list of texts');
}

/** The answer; the upstream reports no usage. */
export function fromWorkersAiEmbedding(body: unknown, ctx: WireContext): Result<JsonObject, string> {
  const data = resultOf(body)?.['data'];
  if (!Array.isArray(data)) return err('the result has no data');
  const vectors = data.map((vector: unknown) => encodeVector(Array.isArray(vector) ? vector : [], ctx.params));
  return ok(embeddingsBody({ provider: ctx.provider, model: ctx.model, vectors }));
}
