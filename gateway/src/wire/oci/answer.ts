/** An answer of OCI Generative AI as a chat completion. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectAt, objectsAt, textAt } from '../json/json.ts';
import {
  type AnyFinishReason,
  type ChatCompletion,
  finishReasonOf,
  type ToolCall,
  toChatCompletion,
} from '../openai/index.ts';
import { ociUsage } from './usage.ts';

/** `id`: the request id of the headers. The error says why the body is no answer. */
export function fromOciChat(body: unknown, ctx: WireContext, id: string | undefined): Result<ChatCompletion, string> {
  const response = isObject(body) ? objectAt(body, 'chatResponse') : undefined;
  if (!isObject(body) || response === undefined || !Array.isArray(response['choices'])) {
    return err('the answer has no choices');
  }
  const choices = objectsAt(response, 'choices').map((choice) => toChoice(choice, ctx));
  const usage = ociUsage(objectAt(response, 'usage'));
  const completion = toChatCompletion({ id, model: textAt(body, 'modelId'), choices, usage }, ctx);
  const created = Date.parse(textAt(response, 'timeCreated') ?? '');
  return ok(Number.isNaN(created) ? completion : { ...completion, created: Math.floor(created / 1000) });
}

function toChoice(choice: JsonObject, ctx: WireContext) {
  const message = objectAt(choice, 'message');
  const thinking = textAt(message, 'reasoningContent') ?? '';
  const text = textOfContent(message);
  return {
    text,
    toolCalls: objectsAt(message, 'toolCalls').map((call) => toToolCall(call, ctx)),
    blocks: thinking === '' ? [] : [{ type: 'thinking', thinking }, ...(text === '' ? [] : [{ type: 'text', text }])],
    finishReason: ociFinishReason(choice, ctx),
  };
}

/** The texts of a message. */
export const textOfContent = (message: JsonObject | undefined): string =>
  objectsAt(message, 'content')
    .map((part) => (part['type'] === 'TEXT' ? (textAt(part, 'text') ?? '') : ''))
    .join('');

const toToolCall = (call: JsonObject, ctx: WireContext): ToolCall => ({
  id: textAt(call, 'id') ?? ctx.newId('call_', 24),
  type: 'function',
  function: { name: textAt(call, 'name') ?? '', arguments: textAt(call, 'arguments') ?? '{}' },
});

/** The reason of a choice; models write it in either case. */
export const ociFinishReason = (choice: JsonObject, ctx: WireContext): AnyFinishReason =>
  finishReasonOf(textAt(choice, 'finishReason')?.toLowerCase(), ctx.strict);
