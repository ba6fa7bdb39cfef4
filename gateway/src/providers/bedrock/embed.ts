/** Embeddings. */
import { createHash } from 'node:crypto';
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import {
  cohereVectors,
  embedInputsOf,
  type Family,
  headerCounts,
  type TitanVector,
  takesEmbed,
  titanVector,
  toCohereEmbedBody,
  toTitanEmbedBody,
} from '../../wire/bedrock/index.ts';
import { embeddingsBody, parseJsonObject, promptUsage } from '../../wire/openai/index.ts';
import { authorizedFetch } from '../clouds/aws/index.ts';
import type { AnswerHead, AuthorizerContext, Call, Endpoint, JsonObject } from '../contract.ts';
import { andThen, type Deferred } from '../engine/index.ts';
import { bedrockAuth } from './auth.ts';
import { runtimeUrl } from './hosts.ts';
import { knownFamily, type ModelFacts, modelFromId, modelPath, resolveModel } from './model.ts';

const FAMILIES: ReadonlySet<Family> = new Set(['cohere', 'amazon']);
/** Inputs of one call for a model that takes one at a time, and how many are sent concurrently. */
const MAX_INPUTS = 2048;
const PARALLEL = 8;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Vectors of all inputs but the last, which the main call embeds; kept as long as the call. */
const earlierVectors = new WeakMap<Call, readonly TitanVector[]>();

export const embed: Endpoint = {
  method: 'POST',
  path: (call) => modelPath(modelFromId(call).id, 'invoke'),
  cacheSalt: inputDigest,
  supports: (call) => {
    const { foundation, family } = modelFromId(call);
    return foundation === undefined || FAMILIES.has(family);
  },
  request: {
    kind: 'write',
    takes: (call) => takesEmbed(knownFamily(call)),
    write: (params, call, context) =>
      andThen(resolveModel(call, context), (model) => writeBody(params, call, context, model)),
  },
  answer: { kind: 'read', read },
};

/** Salt for the cache: lists with the same last input have the same main call. */
function inputDigest(call: Call): string {
  const { input } = call.params;
  if (!Array.isArray(input) || input.length < 2 || modelFromId(call).family === 'cohere') return '';
  return createHash('sha256').update(JSON.stringify(input)).digest('hex');
}

function writeBody(
  params: JsonObject,
  call: Call,
  context: AuthorizerContext,
  { family, foundation = '' }: ModelFacts,
): Deferred<Result<object, AppError>> {
  const inputs = embedInputsOf(params);
  if (!inputs.ok) return inputs;
  if (family === 'cohere') return ok(toCohereEmbedBody(params, inputs.value));
  if (family !== 'amazon') {
    return err(new AppError('OPERATION_UNSUPPORTED', { detail: 'The model makes no embeddings', param: 'model' }));
  }
  const bodies = inputs.value.map((input) => toTitanEmbedBody(params, input, foundation));
  const [first = {}] = bodies;
  return bodies.length === 1 ? ok(first) : embedAllButLast(bodies, call, context);
}

/**
 * Embeds every input but the last beside the main call and answers with the body of the last. An input that fails becomes
 * the main call itself, so that the client gets the upstream's own error.
 */
async function embedAllButLast(
  bodies: readonly JsonObject[],
  call: Call,
  context: AuthorizerContext,
): Promise<Result<object, AppError>> {
  if (bodies.length > MAX_INPUTS) {
    const detail = `input has ${bodies.length} items, more than ${MAX_INPUTS}`;
    return err(new AppError('PARAMETER_INVALID', { detail, param: 'input' }));
  }
  const vectors: TitanVector[] = [];
  earlierVectors.set(call, vectors);
  for (let at = 0; at < bodies.length - 1; at += PARALLEL) {
    const batch = bodies.slice(at, Math.min(at + PARALLEL, bodies.length - 1));
    const made = await Promise.all(batch.map((body) => embedOne(body, call, context)));
    const failed = made.indexOf(undefined);
    if (failed >= 0) return ok(batch[failed] ?? {});
    vectors.push(...made.filter((vector) => vector !== undefined));
  }
  return ok(bodies.at(-1) ?? {});
}

async function embedOne(body: JsonObject, call: Call, context: AuthorizerContext): Promise<TitanVector | undefined> {
  const side = {
    method: 'POST',
    url: runtimeUrl(call) + modelPath(modelFromId(call).id, 'invoke'),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    maxBytes: MAX_ANSWER_BYTES,
  } as const;
  const answer = await authorizedFetch(bedrockAuth, side, call, context);
  if (answer.status !== 200) return undefined;
  const vector = titanVector(parseJsonObject(answer.body.toString('utf8')), call.params);
  return vector.ok ? vector.value : undefined;
}

function read(body: unknown, call: Call, head: AnswerHead): Result<object, string> {
  const answer = { provider: call.provider, model: call.model };
  if (isObject(body) && body['embeddings'] !== undefined) {
    const vectors = cohereVectors(body, call.params);
    if (!vectors.ok) return vectors;
    return ok(embeddingsBody({ ...answer, vectors: vectors.value, usage: usageOf(headerCounts(head.headers).input) }));
  }
  const last = titanVector(body, call.params);
  if (!last.ok) return last;
  const all = [...(earlierVectors.get(call) ?? []), last.value];
  const wanted = embedInputsOf(call.params);
  if (wanted.ok && wanted.value.length !== all.length) return err('not every input could be embedded');
  const tokens = all.map((vector) => vector.tokens).filter((count) => count !== undefined);
  const sum = tokens.length === 0 ? undefined : tokens.reduce((total, count) => total + count, 0);
  return ok(embeddingsBody({ ...answer, vectors: all.map(({ vector }) => vector), usage: usageOf(sum) }));
}

/** Absent when the upstream does not count. Units: tokens. */
const usageOf = (tokens: number | undefined): JsonObject | undefined =>
  tokens === undefined ? undefined : promptUsage(tokens);
