/**
 * Drops who set which field of an object, from its text: half of it, and nobody in this process reads it. Its names have escapes,
 * for which `parseJson` takes several times as long.
 */

import { isObject } from '@gatehouse/crds';
import type { SpecWrite } from './objects.ts';

/** How the API server begins an object, also in an event of a watch: what others have written comes later. */
const HEAD = /^(?:\{"type":"[A-Z]+","object":)?\{(?:"(?:kind|apiVersion)":"[^"\\]*",)*"metadata":\{/;
const MEMBER = '"managedFields":[';
const SIGN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g;

/** Makes the text of an object shorter. */
export type Shorten = (text: string) => string;

/** The text of an object without `metadata.managedFields`, or as it is where that is not found. */
export const withoutManagedFields: Shorten = (text) => replaced(text, () => '');

/** With `metadata.specWrites` in their place, see ObjectMeta. */
export const withSpecWrites: Shorten = (text) => replaced(text, (list) => `"specWrites":${specWritesOf(list)},`);

function specWritesOf(list: string): string {
  const entries: unknown = JSON.parse(list); // of the API server: it is JSON
  if (!Array.isArray(entries)) return '[]';
  const writes = entries.flatMap((entry: unknown): SpecWrite[] => {
    if (!isObject(entry) || !isObject(entry['fieldsV1']) || !('f:spec' in entry['fieldsV1'])) return [];
    const { manager, time, subresource = '' } = entry;
    return typeof manager === 'string' && typeof time === 'string' && subresource === '' ? [{ manager, time }] : [];
  });
  return JSON.stringify(writes);
}

function replaced(text: string, by: (list: string) => string): string {
  const head = HEAD.exec(text);
  if (head === null || !text.includes(MEMBER)) return text;
  const from = memberStart(text, head[0].length);
  if (from === undefined) return text;
  const to = closing(text, from + MEMBER.length);
  // The comma behind the member goes with it; the last member, which has none, stays.
  if (text[to] !== ',') return text;
  return text.slice(0, from) + by(text.slice(from + MEMBER.length - 1, to)) + text.slice(to + 1);
}

/** Where the member begins in the object whose first member begins at `at`. */
function memberStart(text: string, at: number): number | undefined {
  let depth = 0;
  SIGN.lastIndex = at;
  for (let sign = SIGN.exec(text); sign !== null && depth >= 0; sign = SIGN.exec(text)) {
    const [token] = sign;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 0 && text.startsWith(MEMBER, sign.index)) return sign.index;
  }
  return undefined;
}

/** The position after the bracket that closes the list whose first item begins at `at`. */
function closing(text: string, at: number): number {
  let depth = 1;
  SIGN.lastIndex = at;
  for (let sign = SIGN.exec(text); sign !== null; sign = SIGN.exec(text)) {
    const [token] = sign;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return SIGN.lastIndex;
  }
  return text.length;
}
