/** Bodies as members of a document: JSON as it came, other texts as strings. */
import { isUtf8 } from 'node:buffer';
import type { KeptBody } from '../../record/index.ts';

export interface BodyOptions {
  /** Vectors are left out. */
  readonly isOfVectors: boolean;
  /** Takes secrets out. */
  clean(text: string): string;
}

/** Bytes at the end of what was cut that are not shown: a secret that was cut too is not found. */
const TAIL = 8 * 1024;

/**
 * The members `body` and `truncated`, as JSON without braces; empty: there is nothing, or no text. The document is cleaned as a
 * whole: here only what is no JSON any longer.
 */
export function bodyMembers(body: KeptBody | undefined, options: BodyOptions): string {
  if (body === undefined || !isText(body)) return body?.truncated === true ? TRUNCATED : '';
  const text = body.bytes.toString('utf8');
  if (body.isAssembled === true) return `"body":${text}${body.truncated ? `,${TRUNCATED}` : ''}`;
  if (body.truncated) {
    const clean = options.clean(text);
    const start = clean.slice(0, Math.max(0, clean.length - TAIL)).toWellFormed();
    return start === '' ? TRUNCATED : `"body":${JSON.stringify(withoutVectors(start, options))},${TRUNCATED}`;
  }
  const plain = withoutVectors(text, options);
  const isValue = (body.isJson === true && !options.isOfVectors) || isJson(plain);
  return `"body":${isValue ? plain : JSON.stringify(options.clean(plain))}`;
}

const TRUNCATED = '"truncated":true';

/** In UTF-8: in other encodings secrets are not found. What was cut may end within a character. */
export function isText({ bytes, truncated }: KeptBody): boolean {
  if (bytes.length === 0 || bytes.includes(0)) return false;
  return isUtf8(bytes) || (truncated && [1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, -cut))));
}

/** At least so many numbers in a row, also where their end was cut. */
const NUMBERS = /\[(?:\s*-?\d[\d.eE+-]*\s*,){15,}\s*(?:-?\d[\d.eE+-]*\s*\]|-?[\d.eE+-]*\s*$)/g;
/** Vectors in base64. */
const ENCODED = /"[A-Za-z0-9+/]{64,}={0,2}(?:"|$)/g;

const withoutVectors = (text: string, { isOfVectors }: BodyOptions): string =>
  isOfVectors ? text.replace(NUMBERS, '[]').replace(ENCODED, '""') : text;

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
