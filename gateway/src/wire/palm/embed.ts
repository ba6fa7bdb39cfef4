/** Embeddings of the PaLM API: one text for each call. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectAt } from '../json/json.ts';
import { embeddingsBody, encodeVector } from '../openai/index.ts';

/** The body of `embedText`; the error names what cannot be embedded. */
export function toPalmEmbedding({ input }: JsonObject): Result<JsonObject, string> {
  const text: unknown = Array.isArray(input) && input.length === 1 ? input[0] : input;
  return typeof text === 'string' ? ok({ text }) : err('input must be one text: a call embeds no more');
}

/** The answer; the upstream reports no usage. */
export function fromPalmEmbedding(body: unknown, ctx: WireContext): Result<JsonObject, string> {
  const vector = isObject(body) ? objectAt(body, 'embedding')?.['value'] : undefined;
  if (!Array.isArray(vector)) return err('the answer has no embedding');
  const vectors = [encodeVector(vector, ctx.params)];
  return ok(embeddingsBody({ provider: ctx.provider, model: ctx.model, vectors }));
}
