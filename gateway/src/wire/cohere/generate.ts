/** Cohere's v1 text completions. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { AppError } from '../../errors/index.ts';
import type { JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt, withoutAbsent } from '../json/json.ts';
import {
  finishReasonOf,
  INCOMPLETE_STREAM,
  parseJsonObject,
  promptOf,
  readErrorShape,
  stopList,
  TextChunks,
  type TextCompletion,
  toStreamError,
  toTextCompletion,
} from '../openai/index.ts';
import { cohereUsage } from './usage.ts';

/** The body of `generate`; numbers beyond the upstream's bounds are set to the nearest bound. */
export function toGenerateBody(params: JsonObject, model: string): Result<JsonObject, AppError> {
  const prompt = promptOf(params);
  if (!prompt.ok) return prompt;
  const within = (name: string, min: number, max: number): number | undefined => {
    const value = numberAt(params, name);
    return value === undefined ? undefined : Math.min(Math.max(value, min), max);
  };
  return ok(
    withoutAbsent({
      model,
      prompt: prompt.value,
      max_tokens: within('max_tokens', 1, Number.POSITIVE_INFINITY),
      temperature: within('temperature', 0, 5),
      p: params['top_p'],
      k: within('top_k', 0, 500),
      frequency_penalty: within('frequency_penalty', 0, 1),
      presence_penalty: within('presence_penalty', 0, 1),
      num_generations: within('n', 1, 5),
      end_sequences: stopList(params['stop']),
      logit_bias: params['logit_bias'],
      stream: params['stream'] === true ? true : undefined,
    }),
  );
}

/** The error says why the body is no answer. */
export function fromGenerate(body: unknown, ctx: WireContext): Result<TextCompletion, string> {
  if (!isObject(body) || !Array.isArray(body['generations'])) return err('the answer has no generations');
  const choices = objectsAt(body, 'generations').map((generation) => ({
    text: textAt(generation, 'text') ?? '',
    finishReason: finishReasonOf(textAt(generation, 'finish_reason'), ctx.strict),
  }));
  return ok(
    toTextCompletion({ id: textAt(body, 'id'), choices, usage: cohereUsage(objectAt(body, 'meta'), true) }, ctx),
  );
}

/** Lines with text, then one that repeats the whole answer. */
export function createGenerateDecoder(ctx: WireContext): StreamDecoder {
  const chunks = new TextChunks(ctx);
  let closed = false;
  const close = (...last: readonly StreamItem[]): readonly StreamItem[] => {
    closed = true;
    return last;
  };
  return {
    push(frame) {
      const event = parseJsonObject(frame.data);
      if (event === undefined || closed) return [];
      if (event['is_finished'] === true) return close(...finish(event, chunks, ctx));
      const text = textAt(event, 'text') ?? textAt(objectsAt(objectAt(event, 'response'), 'generations')[0], 'text');
      if (text !== undefined) return [chunks.item({ text, index: numberAt(event, 'index') ?? 0 })];
      const error = readErrorShape(event);
      return error === undefined ? [] : close(toStreamError(error, ctx));
    },
    end: () => (closed ? [] : close(INCOMPLETE_STREAM)),
  };
}

function finish(event: JsonObject, chunks: TextChunks, ctx: WireContext): readonly StreamItem[] {
  const response = objectAt(event, 'response');
  const generations = objectsAt(response, 'generations');
  const usage = cohereUsage(objectAt(response, 'meta'), true);
  const ends = (generations.length === 0 ? [{}] : generations).map((generation, index) => {
    const reason = textAt(generation, 'finish_reason') ?? textAt(event, 'finish_reason');
    return chunks.item({ text: '', index, finishReason: finishReasonOf(reason, ctx.strict) });
  });
  return usage === undefined ? ends : [...ends, { kind: 'usage', usage }];
}
