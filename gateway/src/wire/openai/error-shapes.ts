/** Reads upstream error bodies by their shape, for any provider. */

import { isObject } from '@gatehouse/crds';
import { scalarText } from '../../lib/scalar-text.ts';
import type { ErrorFields, JsonObject } from '../contract.ts';

type ReadShape = (body: JsonObject) => ErrorFields | undefined;

const NO_FIELDS = { type: null, param: null, code: null } as const;

/** In this order: the first shape that fits gives the fields. */
const SHAPES: readonly ReadShape[] = [nested, errorText, cloudflare, fault, detail, flat];

/** The fields of an error body, tried by shape; undefined when none fits. A list of one error counts as that error. */
export function readErrorShape(body: unknown): ErrorFields | undefined {
  const error: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(error)) return undefined;
  for (const read of SHAPES) {
    const fields = read(error);
    if (fields !== undefined) return fields;
  }
  return undefined;
}

/** Adds the prefix `<provider> error: ` unless it is there. */
export function withProviderPrefix(provider: string, fields: ErrorFields): ErrorFields {
  const prefix = `${provider} error: `;
  return fields.message.startsWith(prefix) ? fields : { ...fields, message: prefix + fields.message };
}

/** openai, anthropic, google, perplexity, openrouter: the fields are below `error`. */
function nested(body: JsonObject): ErrorFields | undefined {
  const error = body['error'];
  if (!isObject(error)) return undefined;
  return {
    message: text(error['message']) ?? JSON.stringify(error),
    type: text(error['type']) ?? text(error['status']) ?? null,
    param: text(error['param']) ?? null,
    code: codeText(error['code']),
  };
}

/** together-ai, novita-ai, huggingface, ollama, and the short form of x-ai. */
function errorText(body: JsonObject): ErrorFields | undefined {
  const message = text(body['error']);
  if (message === undefined) return undefined;
  return {
    message,
    type: text(body['error_type']) ?? text(body['type']) ?? null,
    param: null,
    code: codeText(body['code']),
  };
}

/** cloudflare: `{errors: [{code, message}]}`; stability: `{id, name, errors: [text]}`. */
function cloudflare(body: JsonObject): ErrorFields | undefined {
  const errors = body['errors'];
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const lines = errors.map((item: unknown) =>
    isObject(item)
      ? `Error ${codeText(item['code']) ?? 'unknown'}:${text(item['message']) ?? ''}`
      : (text(item) ?? JSON.stringify(item)),
  );
  return { ...NO_FIELDS, message: lines.join(', '), type: text(body['name']) ?? null, param: text(body['id']) ?? null };
}

/** fireworks-ai behind its API gateway. */
function fault(body: JsonObject): ErrorFields | undefined {
  const error = body['fault'];
  if (!isObject(error)) return undefined;
  const inner = isObject(error['detail']) ? error['detail'] : {};
  return {
    ...NO_FIELDS,
    message: text(error['faultstring']) ?? JSON.stringify(error),
    code: codeText(inner['errorcode']),
  };
}

/** FastAPI: a text, a list of validation errors, or anything. */
function detail(body: JsonObject): ErrorFields | undefined {
  const value = body['detail'];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return { ...NO_FIELDS, message: value };
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  if (!isObject(first) || typeof first['msg'] !== 'string') return { ...NO_FIELDS, message: JSON.stringify(value) };
  const place = Array.isArray(first['loc']) ? `${first['loc'].map(scalarText).join('.')}: ` : '';
  return { ...NO_FIELDS, message: place + first['msg'], type: text(first['type']) ?? null };
}

/** mistral-ai and others (`object: error`), aws (`Message`, `__type`), cohere, oci, databricks, stability: fields at the root. */
function flat(body: JsonObject): ErrorFields | undefined {
  const message = text(body['message']) ?? text(body['Message']);
  if (message === undefined) return undefined;
  const code = codeText(body['code'] ?? body['error_code']);
  const awsType = text(body['__type'])?.split('#').at(-1);
  const ociType = Object.keys(body).length === 2 ? code : null;
  return {
    message,
    type: text(body['type']) ?? awsType ?? text(body['name']) ?? ociType,
    param: text(body['param']) ?? null,
    code,
  };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const codeText = (value: unknown): string | null => (typeof value === 'number' ? String(value) : (text(value) ?? null));
