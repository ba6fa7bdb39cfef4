import type { JsonObject, Usage } from '../contract.ts';

/** Usage of calls that generate nothing. */
export const promptUsage = (tokens: number): Pick<Usage, 'prompt_tokens' | 'total_tokens'> => ({
  prompt_tokens: tokens,
  total_tokens: tokens,
});

export interface EmbeddingsAnswer {
  readonly provider: string;
  readonly model: string;
  /** One per input: numbers, or base64 text as the upstream sent it. */
  readonly vectors: readonly unknown[];
  /** Absent when the upstream has none. */
  readonly usage?: JsonObject | undefined;
}

/** The answer to an embeddings call. */
export function embeddingsBody({ provider, model, vectors, usage }: EmbeddingsAnswer): JsonObject {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  return { object: 'list', data, model, ...(usage === undefined ? {} : { usage }), provider };
}

/** The answer to a call for the list of models. */
export interface ModelsBody {
  readonly object: 'list';
  readonly data: readonly JsonObject[];
  readonly provider: string;
}

export const modelsBody = (provider: string, data: readonly JsonObject[]): ModelsBody => ({
  object: 'list',
  data,
  provider,
});

/** An entry of a model list; `created` in unix seconds, 0 when unknown. */
export const modelEntry = (id: string, ownedBy: string, created = 0): JsonObject => ({
  id,
  object: 'model',
  created,
  owned_by: ownedBy,
});

/** The vector in the requested encoding: `base64` is little-endian float32, the default of OpenAI's SDKs. */
export function encodeVector(vector: readonly unknown[], params: JsonObject): readonly unknown[] | string {
  if (params['encoding_format'] !== 'base64') return vector;
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  vector.forEach((value, at) => {
    bytes.writeFloatLE(typeof value === 'number' ? value : 0, at * Float32Array.BYTES_PER_ELEMENT);
  });
  return bytes.toString('base64');
}
