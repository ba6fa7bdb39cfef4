/** An answer of Reka's chat as a chat completion. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, Usage, WireContext } from '../contract.ts';
import { numberAt, objectAt, textAt } from '../json/json.ts';
import { type ChatCompletion, finishReasonOf, toChatCompletion } from '../openai/index.ts';

/** The error says why the body is no answer. */
export function fromReka(body: unknown, ctx: WireContext): Result<ChatCompletion, string> {
  const text = isObject(body) ? textAt(body, 'text') : undefined;
  if (!isObject(body) || text === undefined) return err('the answer has no text');
  const choice = { text, finishReason: finishReasonOf(textAt(body, 'finish_reason'), ctx.strict) };
  return ok(toChatCompletion({ choices: [choice], usage: usageOf(objectAt(body, 'metadata')) }, ctx));
}

function usageOf(metadata: JsonObject | undefined): Usage | undefined {
  const prompt = numberAt(metadata, 'input_tokens');
  const completion = numberAt(metadata, 'generated_tokens');
  if (prompt === undefined || completion === undefined) return undefined;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
