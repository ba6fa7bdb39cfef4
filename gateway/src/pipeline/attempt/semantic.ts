/** Answers to similar prompts around one attempt; docs/behaviour/caching.md#answers-to-similar-prompts. */
import {
  type CacheKeyParts,
  type CacheLookup,
  cacheKey,
  chatPromptOf,
  completionPromptOf,
  type ResponseCache,
  type SemanticPrompt,
  type VectorStore,
} from '../../cache/index.ts';
import type { SemanticPlan } from '../../routing/index.ts';
import { servedAs } from '../operations/index.ts';
import type { AttemptInput } from './ports.ts';
import type { Prepared } from './prepare/index.ts';

/** The unit vector of a prompt by a model, `@provider/model`; undefined: it cannot be had now. Never rejects. */
export type EmbedPrompt = (
  input: AttemptInput,
  prompt: { readonly model: string; readonly text: string },
) => Promise<Float32Array | undefined>;

export interface SemanticCache {
  readonly vectors: VectorStore;
  readonly embed: EmbedPrompt;
}

export interface SimilarAnswer {
  /** JSON text. */
  readonly body: Buffer;
  /** How long it is still to be used, in seconds. */
  readonly ttlSeconds: number;
}

export interface SemanticLookup {
  /** The answer to a similar prompt. */
  readonly found: SimilarAnswer | undefined;
  /** Makes the answer to this request known to similar ones. */
  remember(ttlSeconds: number): void;
}

export interface SemanticOptions {
  readonly plan: SemanticPlan;
  readonly cache: ResponseCache;
  readonly lookup: CacheLookup;
  /** Of the exact look-up. */
  readonly parts: CacheKeyParts;
}

/** Undefined: the request has no prompt that can be compared, or its vector cannot be had. */
export async function lookUpSimilar(
  { vectors, embed }: SemanticCache,
  { input, params }: Prepared,
  { plan: { model, threshold }, cache, lookup, parts }: SemanticOptions,
): Promise<SemanticLookup | undefined> {
  const prompt = promptOf(servedAs(input.exchange.operation), params);
  if (prompt === undefined) return undefined;
  const partition = partitionOf({ ...parts, body: Buffer.from(JSON.stringify(prompt.rest)) }, input, model);
  if (lookup.status === 'REFRESH') vectors.delete(partition, lookup.key);
  const vector = await embed(input, { model, text: prompt.text });
  if (vector === undefined) return undefined;
  const remember = (ttlSeconds: number): void => vectors.set(partition, { key: lookup.key, vector, ttlSeconds });
  if (lookup.status === 'REFRESH') return { found: undefined, remember };
  return { found: await storedNear(vectors, cache, { partition, vector, threshold }), remember };
}

interface Search {
  readonly partition: string;
  readonly vector: Float32Array;
  readonly threshold: number;
}

/** Answers may have gone before their vectors; so many are tried. */
const MAX_TRIES = 3;

async function storedNear(
  vectors: VectorStore,
  cache: ResponseCache,
  { partition, vector, threshold }: Search,
): Promise<SimilarAnswer | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const near = await vectors.nearest(partition, vector, threshold);
    if (near === undefined) return undefined;
    const body = await cache.stored(near.key);
    if (body !== undefined) return { body, ttlSeconds: near.ttlSeconds };
    vectors.delete(partition, near.key);
  }
  return undefined;
}

function promptOf(operation: string, params: Prepared['params']): SemanticPrompt | undefined {
  if (operation === 'chatComplete') return chatPromptOf(params);
  return operation === 'complete' ? completionPromptOf(params) : undefined;
}

/** The same but for the prompt: workspace, target, headers, metadata; and the same config and model of the vectors. */
const partitionOf = (parts: CacheKeyParts, { resolution: { plan } }: AttemptInput, model: string): string =>
  JSON.stringify([cacheKey(parts), plan.owner, plan.slug ?? null, model]);
