import { isObject } from './result.ts';

/**
 * Where a JSON value has a text, or a name of a member, that is none: with U+0000, which no database keeps, or with half of a
 * surrogate pair, which has no form in UTF-8. Undefined: nowhere. The depth of the value has to be bounded.
 */
export function brokenTextAt(value: unknown): readonly (string | number)[] | undefined {
  if (typeof value === 'string') return isBroken(value) ? [] : undefined;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const found = brokenTextAt(item);
      if (found !== undefined) return [i, ...found];
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (isBroken(name)) return [];
    const found = brokenTextAt(member);
    if (found !== undefined) return [name, ...found];
  }
  return undefined;
}

const isBroken = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

/** The same with U+FFFD in place of what is no text, in the JSON that `JSON.stringify` has made. */
export const withoutBrokenText = (json: string): string =>
  json.includes('\\u0000') || json.includes('\\ud')
    ? json.replaceAll(ESCAPES, (one) => (BROKEN.test(one) ? '\\ufffd' : one))
    : json;

/** Each escape as a whole: a backslash may be escaped itself. */
const ESCAPES = /\\(?:u[0-9a-f]{4}|.)/g;
/** Halves of surrogate pairs alone are escaped. */
const BROKEN = /^\\u(?:0000|d[89a-f][0-9a-f]{2})$/;
