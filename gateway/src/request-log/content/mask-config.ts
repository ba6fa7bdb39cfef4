/** Masks the credentials of a config that a header brings: docs/behaviour/request-logs.md#masking. */
import { isObject } from '@gatehouse/crds';
import { HEADER_JSON_LIMITS, readJson } from '../../lib/json/index.ts';
import { maskValue } from '../../telemetry/index.ts';

/** Members that hold credentials, in any spelling. */
const SECRET =
  /key|secret|token|password|passphrase|credential|authorization|cookie|(?:role_?arn)|(?:external_?id)|(?:service_?account)|(?:client_?id)|private/i;
/** Whose members are all masked: the headers that a check or a target sends. */
const ALL_SECRET = /headers$/i;
const MASKED = '********';
const MAX_DEPTH = 32;

/** The text of an inline config without credentials; the slug of a saved one as it is. */
export function maskConfig(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text.length > 256 ? MASKED : text;
  try {
    return masked(readJson(text, HEADER_JSON_LIMITS), MAX_DEPTH, false);
  } catch {
    return MASKED;
  }
}

/** A URL without its user, password and query; any other text as it is. */
export const withoutCredentials = (text: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text.replace(/\/\/[^/@\s]*@/, '//').replace(/\?.*$/s, '') : text;

function masked(value: unknown, depth: number, isSecret: boolean): unknown {
  if (depth === 0) return MASKED;
  if (Array.isArray(value)) return value.map((item) => masked(item, depth - 1, isSecret));
  if (isObject(value)) {
    const out: Record<string, unknown> = Object.create(null); // names come from clients
    for (const [name, member] of Object.entries(value)) {
      const all = isSecret || ALL_SECRET.test(name) || SECRET.test(name);
      out[name] = masked(member, depth - 1, all);
    }
    return out;
  }
  if (!isSecret) return typeof value === 'string' ? withoutCredentials(value) : value;
  return typeof value === 'string' ? maskValue(value) : MASKED;
}
