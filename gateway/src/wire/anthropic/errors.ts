import { isObject } from '@gatehouse/crds';
import type { ErrorFields, Frame } from '../contract.ts';
import { objectAt, textAt } from '../json/json.ts';
import { parseJsonObject } from '../openai/index.ts';

/** Reads `{type: "error", error: {type, message}}`; undefined for any other shape. */
export function anthropicErrorFields(body: unknown): ErrorFields | undefined {
  if (!isObject(body) || body['type'] !== 'error') return undefined;
  const error = objectAt(body, 'error');
  const message = textAt(error, 'message');
  if (message === undefined) return undefined;
  return { message, type: textAt(error, 'type') ?? null, param: null, code: null };
}

/** Whether an event of a stream is the upstream's overload error. */
export function isOverloadFrame(frame: Frame): boolean {
  if (frame.event !== undefined && frame.event !== 'error') return false;
  return anthropicErrorFields(parseJsonObject(frame.data))?.type === 'overloaded_error';
}
