/** The legacy text completion API of the vendor. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { AppError } from '../../errors/index.ts';
import type { Frame, JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { textAt, withoutAbsent } from '../json/json.ts';
import {
  finishReasonOf,
  INCOMPLETE_STREAM,
  maxTokensOf,
  parseJsonObject,
  promptOf,
  stopList,
  TextChunks,
  type TextCompletion,
  toStreamError,
  toTextCompletion,
} from '../openai/index.ts';
import { anthropicErrorFields } from './errors.ts';
import { clampTemperature, nonNegativeAt, userMetadata } from './request.ts';

/** Required upstream; the output limit of the legacy models, in tokens. */
const DEFAULT_MAX_TOKENS = 4096;

/** The body without `model` and `stream`, which some providers of the format refuse there. */
export function toLegacyCompletion(params: JsonObject): Result<JsonObject, AppError> {
  const prompt = promptOf(params);
  if (!prompt.ok) return prompt;
  const body = {
    prompt: `\n\nHuman: ${prompt.value}\n\nAssistant:`,
    max_tokens_to_sample: maxTokensOf(params) ?? DEFAULT_MAX_TOKENS,
    temperature: clampTemperature(params),
    top_p: nonNegativeAt(params, 'top_p'),
    top_k: nonNegativeAt(params, 'top_k'),
    stop_sequences: stopList(params['stop']),
    metadata: userMetadata(params),
  };
  return ok(withoutAbsent(body));
}

/** Reads `{completion, stop_reason}`; the error says why it cannot be read. */
export function fromLegacyCompletion(body: unknown, ctx: WireContext): Result<TextCompletion, string> {
  const text = isObject(body) ? textAt(body, 'completion') : undefined;
  if (!isObject(body) || text === undefined) return err('the answer has no completion');
  const finishReason = finishReasonOf(textAt(body, 'stop_reason'), ctx.strict);
  return ok(toTextCompletion({ ...namesOf(body), choices: [{ text, finishReason }] }, ctx));
}

/** Events `completion` as text completion chunks; the legacy API has no usage. */
export function createLegacyCompletionDecoder(ctx: WireContext): StreamDecoder {
  const chunks = new TextChunks(ctx);
  let phase: 'open' | 'finished' | 'failed' = 'open';
  const fail = (error: StreamItem): readonly StreamItem[] => {
    phase = 'failed';
    return [error];
  };
  return {
    push: (frame: Frame) => {
      const event = parseJsonObject(frame.data);
      if (event === undefined || phase !== 'open') return [];
      if (event['type'] === 'error' || frame.event === 'error') {
        return fail(toStreamError(anthropicErrorFields(event), ctx));
      }
      const text = textAt(event, 'completion');
      if (text === undefined) return [];
      const reason = textAt(event, 'stop_reason');
      if (reason !== undefined) phase = 'finished';
      const finishReason = reason === undefined ? null : finishReasonOf(reason, ctx.strict);
      return [chunks.item({ text, finishReason }, namesOf(event))];
    },
    end: () => (phase === 'open' ? fail(INCOMPLETE_STREAM) : []),
  };
}

const namesOf = (body: JsonObject) => ({
  id: textAt(body, 'log_id') ?? textAt(body, 'id'),
  model: textAt(body, 'model'),
});
