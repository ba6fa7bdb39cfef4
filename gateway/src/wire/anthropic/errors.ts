import { isObject } from '@gatehouse/crds';
import type { ErrorFields, Frame, StreamItem, WireContext } from '../contract.ts';
import { objectAt, textAt } from '../json/json.ts';
import { parseJsonObject, withProviderPrefix } from '../openai/index.ts';

/** Reads `{type: "error", error: {type, message}}`; undefined for any other shape (spec/providers.md 1.8). */
export function anthropicErrorFields(body: unknown): ErrorFields | undefined {
  if (!isObject(body) || body['type'] !== 'error') return undefined;
  const error = objectAt(body, 'error');
  const message = textAt(error, 'message');
  if (message === undefined) return undefined;
  return { message, type: textAt(error, 'type') ?? null, param: null, code: null };
}

/** Whether an event of a stream says that the upstream is overloaded. */
export function isOverloadFrame(frame: Frame): boolean {
  if (frame.event !== undefined && frame.event !== 'error') return false;
  return anthropicErrorFields(parseJsonObject(frame.data))?.type === 'overloaded_error';
}

/** The item for an error that the upstream reports inside a stream. */
export function toStreamError(fields: ErrorFields | undefined, ctx: WireContext): StreamItem {
  return { kind: 'error', error: withProviderPrefix(ctx.provider, fields ?? UNKNOWN_ERROR) };
}

/** An event that says "error" must never pass for content, whatever its shape. */
const UNKNOWN_ERROR: ErrorFields = {
  message: 'an error without details',
  type: 'stream_error',
  param: null,
  code: null,
};

/** For streams that end before the upstream said they are complete (behaviour-decisions 8). */
export const INCOMPLETE_STREAM: StreamItem = {
  kind: 'error',
  error: {
    message: 'The stream of the provider ended before it was complete',
    type: 'stream_error',
    param: null,
    code: null,
  },
};
