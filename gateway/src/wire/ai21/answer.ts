/** Answers of AI21's Jurassic models. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, Usage, WireContext } from '../contract.ts';
import { objectAt, objectsAt, textAt } from '../json/json.ts';
import {
  type AnyFinishReason,
  type ChatCompletion,
  finishReasonOf,
  type TextCompletion,
  toChatCompletion,
  toTextCompletion,
} from '../openai/index.ts';

/** A chat; the upstream reports no usage. The error says why the body is no answer. */
export function fromJurassicChat(body: unknown, ctx: WireContext): Result<ChatCompletion, string> {
  if (!isObject(body) || !Array.isArray(body['outputs'])) return err('the answer has no outputs');
  const choices = objectsAt(body, 'outputs').map((output) => ({
    text: textAt(output, 'text') ?? '',
    finishReason: reasonOf(output, ctx),
  }));
  return ok(toChatCompletion({ id: idOf(body), choices, usage: undefined }, ctx));
}

/** A text completion; its usage is the length of its lists of tokens. */
export function fromJurassicCompletion(body: unknown, ctx: WireContext): Result<TextCompletion, string> {
  if (!isObject(body) || !Array.isArray(body['completions'])) return err('the answer has no completions');
  const completions = objectsAt(body, 'completions');
  const choices = completions.map((completion) => ({
    text: textAt(objectAt(completion, 'data'), 'text') ?? '',
    finishReason: reasonOf(completion, ctx),
  }));
  return ok(toTextCompletion({ id: idOf(body), choices, usage: usageOf(body, completions) }, ctx));
}

/** A text, or in some versions a number. */
const idOf = ({ id }: JsonObject): string | undefined =>
  typeof id === 'number' ? String(id) : typeof id === 'string' && id !== '' ? id : undefined;

const reasonOf = (choice: JsonObject, ctx: WireContext): AnyFinishReason =>
  finishReasonOf(textAt(objectAt(choice, 'finishReason'), 'reason'), ctx.strict);

function usageOf(body: JsonObject, completions: readonly JsonObject[]): Usage | undefined {
  const prompt = tokensIn(objectAt(body, 'prompt'));
  const counts = completions.map((completion) => tokensIn(objectAt(completion, 'data')));
  if (prompt === undefined || counts.includes(undefined)) return undefined;
  const completion = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

const tokensIn = (holder: JsonObject | undefined): number | undefined => {
  const tokens = holder?.['tokens'];
  return Array.isArray(tokens) ? tokens.length : undefined;
};
