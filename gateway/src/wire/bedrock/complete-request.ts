/** Text completion bodies per model family. */
import { err, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { conversationOf, toLegacyCompletion } from '../anthropic/index.ts';
import type { JsonObject } from '../contract.ts';
import { numberAt, orAbsent, withoutAbsent } from '../json/json.ts';
import { isSystem, maxTokensOf, promptOf, stopList, textOf } from '../openai/index.ts';
import { penaltyScale } from './additional-fields.ts';
import type { Family } from './model-id.ts';

type WriteBody = (params: JsonObject, prompt: string) => JsonObject;

/** A number of the client between bounds. */
function clamped(params: JsonObject, key: string, min: number, max: number): number | undefined {
  const value = numberAt(params, key);
  return value === undefined ? undefined : Math.min(Math.max(value, min), max);
}

const cohere: WriteBody = (params, prompt) => ({
  prompt,
  max_tokens: maxTokensOf(params),
  temperature: clamped(params, 'temperature', 0, 5),
  p: params['top_p'],
  k: clamped(params, 'top_k', 0, 500),
  frequency_penalty: clamped(params, 'frequency_penalty', 0, 1),
  presence_penalty: clamped(params, 'presence_penalty', 0, 1),
  logit_bias: params['logit_bias'],
  num_generations: clamped(params, 'n', 1, 5),
  end_sequences: stopList(params['stop']),
  stream: params['stream'] === true ? true : undefined,
});

const meta: WriteBody = (params, prompt) => ({
  prompt,
  max_gen_len: clamped({ max_tokens: maxTokensOf(params) }, 'max_tokens', 1, 2048),
  temperature: clamped(params, 'temperature', 0, 1),
  top_p: clamped(params, 'top_p', 0, 1),
});

const mistral: WriteBody = (params, prompt) => ({
  prompt,
  max_tokens: maxTokensOf(params),
  temperature: clamped(params, 'temperature', 0, 5),
  top_p: params['top_p'],
  top_k: params['top_k'],
  stop: stopList(params['stop']),
});

const titan: WriteBody = (params, prompt) => ({
  inputText: prompt,
  textGenerationConfig: orAbsent(
    withoutAbsent({
      temperature: params['temperature'],
      topP: params['top_p'],
      maxTokenCount: maxTokensOf(params),
      stopSequences: stopList(params['stop']),
    }),
  ),
});

const ai21: WriteBody = (params, prompt) => ({
  prompt,
  maxTokens: maxTokensOf(params),
  temperature: clamped(params, 'temperature', 0, 1),
  topP: params['top_p'],
  stopSequences: stopList(params['stop']),
  presencePenalty: penaltyScale(params, 'presence_penalty'),
  frequencyPenalty: penaltyScale(params, 'frequency_penalty'),
  countPenalty: params['countPenalty'],
});

const BODIES: ReadonlyMap<Family, WriteBody> = new Map([
  ['cohere', cohere],
  ['meta', meta],
  ['mistral', mistral],
  ['amazon', titan],
  ['ai21', ai21],
]);

/** Whether the family has a text completion API. */
export const hasTextCompletion = (family: Family): boolean => family === 'anthropic' || BODIES.has(family);

/** The invoke body of a text completion. Errors: `PARAMETER_INVALID`, `OPERATION_UNSUPPORTED`. */
export function toCompleteBody(params: JsonObject, family: Family): Result<JsonObject, AppError> {
  if (family === 'anthropic') return toLegacyCompletion(params);
  const prompt = promptOf(params);
  return prompt.ok ? writeBody(params, prompt.value, family) : prompt;
}

/** The invoke body of a chat with a model that has text completion only. */
export function toLegacyChatBody(params: JsonObject, family: Family): Result<JsonObject, AppError> {
  const lines = conversationOf(params).map((message) => {
    const role = isSystem(message) ? 'system' : message.role;
    return `${role}: ${textOf(message.content)}`;
  });
  return writeBody(params, [...lines, 'Assistant:'].join('\n'), family);
}

function writeBody(params: JsonObject, prompt: string, family: Family): Result<JsonObject, AppError> {
  const write = BODIES.get(family);
  if (write === undefined) {
    return err(
      new AppError('OPERATION_UNSUPPORTED', { detail: 'The model has no text completion API', param: 'model' }),
    );
  }
  return ok(withoutAbsent(write(params, prompt)));
}
