/** Answers of the PaLM API, which reports neither usage nor finish reasons. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { WireContext } from '../contract.ts';
import { objectsAt, textAt } from '../json/json.ts';
import { type ChatCompletion, type TextCompletion, toChatCompletion, toTextCompletion } from '../openai/index.ts';

interface Choice {
  readonly text: string;
  readonly finishReason: string;
}

/** An answer of `generateMessage`. The error says why the body is none. */
export function fromPalmChat(body: unknown, ctx: WireContext): Result<ChatCompletion, string> {
  const choices = candidatesOf(body, 'content');
  return choices.ok ? ok(toChatCompletion({ choices: choices.value, usage: undefined }, ctx)) : choices;
}

/** An answer of `generateText`. */
export function fromPalmCompletion(body: unknown, ctx: WireContext): Result<TextCompletion, string> {
  const choices = candidatesOf(body, 'output');
  return choices.ok ? ok(toTextCompletion({ choices: choices.value }, ctx)) : choices;
}

/** An answer whose candidates were all held back has none, and says why. */
function candidatesOf(body: unknown, member: string): Result<readonly Choice[], string> {
  if (!isObject(body)) return err('the answer is no object');
  if (Array.isArray(body['candidates'])) {
    return ok(
      objectsAt(body, 'candidates').map((item) => ({ text: textAt(item, member) ?? '', finishReason: 'stop' })),
    );
  }
  return Array.isArray(body['filters'])
    ? ok([{ text: '', finishReason: 'content_filter' }])
    : err('the answer has no candidates');
}
