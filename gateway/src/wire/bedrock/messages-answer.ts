/** A Converse answer as an answer of the messages API. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectAt, objectsAt, textAt } from '../json/json.ts';
import { textOfBlock, toThinkingBlocks } from './answer.ts';
import { converseCounts } from './usage.ts';

const ID_LENGTH = 24;
const KEPT_STOP_REASONS: ReadonlySet<string> = new Set(['end_turn', 'tool_use', 'max_tokens', 'stop_sequence']);

/** Reads an answer; the error says why it cannot be read. */
export function toMessagesAnswer(body: unknown, ctx: WireContext): Result<JsonObject, string> {
  const message = isObject(body) ? objectAt(objectAt(body, 'output'), 'message') : undefined;
  if (!isObject(body) || message === undefined) return err('the answer has no output message');
  return ok({
    ...messageHead(ctx),
    content: objectsAt(message, 'content').flatMap(toMessageBlocks),
    stop_reason: toStopReason(textAt(body, 'stopReason')),
    stop_sequence: null,
    usage: toMessagesUsage(objectAt(body, 'usage')),
  });
}

/** The members with which a message starts, in an answer and in a stream. */
export function messageHead(ctx: WireContext): JsonObject {
  return { id: ctx.newId('msg_', ID_LENGTH), type: 'message', role: 'assistant', model: ctx.model };
}

export function toStopReason(reason: string | undefined): string {
  return reason !== undefined && KEPT_STOP_REASONS.has(reason) ? reason : 'end_turn';
}

/** The usage under the names of the messages format, in tokens. */
export function toMessagesUsage(usage: JsonObject | undefined): JsonObject {
  const { input, output, cacheRead, cacheWrite } = converseCounts(usage);
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

function toMessageBlocks(block: JsonObject): readonly JsonObject[] {
  const text = textOfBlock(block);
  if (text !== undefined) return [{ type: 'text', text }];
  const use = objectAt(block, 'toolUse');
  if (use !== undefined)
    return [{ type: 'tool_use', id: use['toolUseId'], name: use['name'], input: use['input'] ?? {} }];
  return toThinkingBlocks(block);
}
