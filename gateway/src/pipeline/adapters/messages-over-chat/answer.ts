/** A chat completion as a message. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { ID_CHARS } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { parseArguments, reasoningOf } from '../../../wire/openai/index.ts';
import type { AdapterContext } from '../adapter.ts';
import { toStopReason } from './stop-reason.ts';
import { toMessagesUsage } from './usage.ts';

/** Throws UPSTREAM_INVALID_RESPONSE where there is no answer in it. */
export function toMessage(answer: JsonObject, context: AdapterContext): JsonObject {
  const choice = objectsAt(answer, 'choices')[0];
  const message = objectAt(choice, 'message');
  if (message === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: context.provider });
  const refusal = textAt(message, 'refusal') ?? '';
  const text = textOf(message['content']) + refusal;
  const calls = objectsAt(message, 'tool_calls').map((call) => toToolUse(call, context));
  return {
    id: textAt(answer, 'id') ?? context.newId('msg_', ID_CHARS),
    type: 'message',
    role: 'assistant',
    model: textAt(answer, 'model') ?? context.model,
    content: [...thoughtsOf(message), ...(text === '' ? [] : [{ type: 'text', text }]), ...calls],
    stop_reason: toStopReason({
      reason: textAt(choice, 'finish_reason'),
      calledTools: calls.length > 0,
      refused: refusal !== '',
    }),
    stop_sequence: null,
    usage: toMessagesUsage(objectAt(answer, 'usage')),
  };
}

/** The text of a content; some upstreams answer with a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isObject)
    .map((part) => (part['type'] === 'text' ? (textAt(part, 'text') ?? '') : ''))
    .join('');
}

function thoughtsOf(message: JsonObject): readonly JsonObject[] {
  const blocks = objectsAt(message, 'content_blocks').flatMap(toThought);
  if (blocks.length > 0) return blocks;
  const thinking = reasoningOf(message);
  return thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: '' }];
}

function toThought(block: JsonObject): readonly JsonObject[] {
  if (block['type'] === 'redacted_thinking') return [{ type: 'redacted_thinking', data: textAt(block, 'data') ?? '' }];
  if (block['type'] !== 'thinking') return [];
  return [{ type: 'thinking', thinking: textAt(block, 'thinking') ?? '', signature: textAt(block, 'signature') ?? '' }];
}

function toToolUse(call: JsonObject, { newId }: AdapterContext): JsonObject {
  const called = objectAt(call, 'function');
  return {
    type: 'tool_use',
    id: textAt(call, 'id') || newId('toolu_', ID_CHARS),
    name: textAt(called, 'name') ?? '',
    input: parseArguments(called?.['arguments']),
  };
}
