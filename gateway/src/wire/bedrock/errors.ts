import { isObject } from '@gatehouse/crds';
import type { ErrorFields, Frame, JsonObject } from '../contract.ts';
import { textAt } from '../json/json.ts';
import { parseJsonObject } from '../openai/index.ts';
import type { Headers } from './usage.ts';

/** Reads `{message}` or `{Message}` with the type from `__type` or the header; undefined for other shapes. */
export function awsErrorFields(body: unknown, headers: Headers = {}): ErrorFields | undefined {
  if (!isObject(body)) return undefined;
  const message = textAt(body, 'message') ?? textAt(body, 'Message');
  if (message === undefined) return undefined;
  const header = headers['x-amzn-errortype'];
  const type = textAt(body, '__type') ?? (typeof header === 'string' ? header : undefined);
  return { message, type: type === undefined ? null : shortType(type), param: null, code: null };
}

/** `com.amazon.coral.service#ThrottlingException:http://…` is a ThrottlingException. */
function shortType(type: string): string {
  return type.replace(/:.*$/s, '').replace(/^.*#/s, '');
}

/** The error of an exception frame; undefined for events. */
export function exceptionFields(frame: Frame): ErrorFields | undefined {
  if (frame.event !== 'error' && !/exception$/i.test(frame.event ?? '')) return undefined;
  const body: JsonObject = parseJsonObject(frame.data) ?? {};
  const fields = awsErrorFields({
    ...body,
    message: textAt(body, 'message') ?? textAt(body, 'Message') ?? 'no details',
  });
  return fields && { ...fields, type: fields.type ?? frame.event ?? null };
}
