/** The generate extension of Triton Inference Server; the address of the account ends with the model. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { AppError } from '../../errors/index.ts';
import type { JsonObject, WireContext } from '../../wire/contract.ts';
import { numberAt, textAt, withoutAbsent } from '../../wire/json/json.ts';
import { promptOf, stopList, type TextCompletion, toTextCompletion } from '../../wire/openai/index.ts';
import { taking } from '../../wire/params/params.ts';

/** The parameters that the body says; the account decides which model runs. */
export const takesGenerate = taking([
  ...['model', 'prompt', 'max_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'bad_words'],
]);

/** Servers have no defaults for these. */
const DEFAULTS = { max_tokens: 100, temperature: 0.7, top_p: 0.7, top_k: 50 } as const;

/** The body of a text completion. */
export function toGenerateBody(params: JsonObject): Result<JsonObject, AppError> {
  const prompt = promptOf(params);
  if (!prompt.ok) return prompt;
  const temperature = numberAt(params, 'temperature') ?? DEFAULTS.temperature;
  return ok(
    withoutAbsent({
      text_input: prompt.value,
      max_tokens: params['max_tokens'] ?? DEFAULTS.max_tokens,
      temperature: Math.min(Math.max(temperature, 0), 1),
      top_p: params['top_p'] ?? DEFAULTS.top_p,
      top_k: params['top_k'] ?? DEFAULTS.top_k,
      stop_words: stopList(params['stop']),
      bad_words: params['bad_words'],
    }),
  );
}

/** The answer; the upstream reports neither usage nor a finish reason. */
export function fromGenerate(body: unknown, ctx: WireContext): Result<TextCompletion, string> {
  const text = isObject(body) ? textAt(body, 'text_output') : undefined;
  if (!isObject(body) || text === undefined) return err('the answer has no text_output');
  const choices = [{ text, finishReason: 'stop' }];
  return ok(toTextCompletion({ model: textAt(body, 'model_name'), choices }, ctx));
}
