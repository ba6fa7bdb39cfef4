/** Building blocks of fields: each has a description, bounds and the hints that the generators need. */
import { z } from 'zod';
import { isObject } from '../lib/result.ts';

/** Longest description text, display name and note; bytes of UTF-16 code units. */
export const MAX_TEXT = 1024;
/** Longest Kubernetes object name (RFC 1123 subdomain). */
export const MAX_NAME = 253;

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const OBJECT_NAME = new RegExp(`^${DNS_LABEL}(\\.${DNS_LABEL})*$`);
const NAMESPACE_NAME = new RegExp(`^${DNS_LABEL}$`);
// RFC 3339 with seconds: what the date-time format of the API server accepts.
const DATE_TIME =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/;
const DECIMAL = /^(0|[1-9][0-9]{0,11})(\.[0-9]{1,9})?$/;
const PRICE = /^(0|[1-9][0-9]{0,5})(\.[0-9]{1,9})?$/;
const FACTOR = /^(0|[1-9][0-9]{0,2})(\.[0-9]{1,9})?$/;
/** The form of a base URL; which hosts are allowed is checked where calls are made. */
export const HTTP_URL = /^https?:\/\/[^\s/?#]+(\/[^\s]*)?$/;

/** Names of patterns in the reference. */
export const PATTERN_NAMES: ReadonlyMap<string, string> = new Map([
  [OBJECT_NAME.source, 'object name'],
  [NAMESPACE_NAME.source, 'namespace name'],
  [DECIMAL.source, 'decimal in quotes'],
  [PRICE.source, 'decimal in quotes below 1,000,000'],
  [FACTOR.source, 'decimal in quotes below 1,000'],
  [HTTP_URL.source, 'URL'],
]);

/** A text with an upper bound. */
export const text = (description: string, max: number = MAX_TEXT) => z.string().min(1).max(max).meta({ description });

/** A text that matches a pattern; `expected` completes "expected …". The pattern must be RE2. */
export const pattern = (regex: RegExp, expected: string, max: number) =>
  z
    .string({ error: ({ input }) => (typeof input === 'number' ? `expected ${expected}` : undefined) })
    .min(1)
    .max(max)
    .regex(regex, `expected ${expected}`);

/** The name of a Kubernetes object (RFC 1123 subdomain). */
export const objectName = (description: string) =>
  z.string().min(1).max(MAX_NAME).regex(OBJECT_NAME).meta({ description });

/** The name of a namespace (RFC 1123 label). */
export const namespaceName = (description: string) =>
  z.string().min(1).max(63).regex(NAMESPACE_NAME).meta({ description });

/** A point in time, RFC 3339 with seconds. */
export const dateTime = (description: string) =>
  pattern(DATE_TIME, 'a time like 2027-01-31T00:00:00Z', 40)
    .refine((time) => !DATE_TIME.test(time) || isCalendarDate(time), { error: 'expected a day that exists' })
    .meta({ description, format: 'date-time' });

/** A non-negative decimal number as text: exact, where a float would not be. */
export const decimal = (description: string) =>
  pattern(DECIMAL, 'a decimal number in quotes, e.g. "12.50"', 22).meta({ description });

/** A price in US dollars as text: below a million, so that costs stay exact. */
export const price = (description: string) =>
  pattern(PRICE, 'a price in quotes below 1000000 with up to 9 decimal places, e.g. "2.50"', 16).meta({ description });

/** A factor as text. */
export const factor = (description: string) =>
  pattern(FACTOR, 'a factor in quotes below 1000 with up to 9 decimal places, e.g. "0.8"', 13).meta({ description });

/** An absolute http or https URL. */
export const httpUrl = (description: string) =>
  pattern(HTTP_URL, 'a URL that starts with http:// or https://', 2048).meta({ description });

/** A switch with a default. */
export const flag = (description: string, fallback: boolean) => z.boolean().default(fallback).meta({ description });

/** An integer within bounds; 32 bits on the API server where the upper bound allows it. */
export const int = (description: string, min: number, max: number) => z.int().min(min).max(max).meta({ description });

/** A list whose order carries meaning, replaced as a whole. */
export const atomicList = <T extends z.ZodType>(item: T, description: string, max: number) =>
  z.array(item).max(max).meta({ description, listType: 'atomic' });

/** A list of distinct scalars that several managers may share. */
export const setList = <T extends z.ZodType>(item: T, description: string, max: number) =>
  z.array(item).max(max).superRefine(refuseDuplicates(toText), LISTS).meta({ description, listType: 'set' });

/** A list of objects, identified by `keys`, that several managers may share. */
export const mapList = <T extends z.ZodType>(
  item: T,
  keys: readonly string[],
  { description, max }: { readonly description: string; readonly max: number },
) =>
  z
    .array(item)
    .max(max)
    .superRefine(
      refuseDuplicates((value) => keyText(value, keys)),
      LISTS,
    )
    .meta({ description, listType: 'map', listMapKeys: keys });

/** An object whose content is not validated here: kept as it is, at most `maxKeys` members. */
export const opaque = (description: string, maxKeys = 256) =>
  z
    .record(z.string(), z.unknown())
    .refine((value) => Object.keys(value).length <= maxKeys, { error: `at most ${maxKeys} members` })
    .meta({ description, opaque: true, maxProperties: maxKeys });

/** A map from string to string, the only map in Kinds besides opaque nodes. */
export const stringMap = (description: string, maxKeys: number, maxValue: number, value = z.string()) =>
  z
    .record(z.string().min(1).max(MAX_NAME), value.max(maxValue))
    .refine((value) => Object.keys(value).length <= maxKeys, { error: `at most ${maxKeys} members` })
    .meta({ description, maxProperties: maxKeys });

interface RefinementContext {
  addIssue(issue: { code: 'custom'; message: string; path: PropertyKey[] }): void;
}

/** Also beside other faults of the list. */
const LISTS = { when: ({ value }: { readonly value: unknown }) => Array.isArray(value) };

const toText = (value: unknown): string | undefined =>
  typeof value === 'object' || value === undefined ? undefined : String(value);

/** Undefined for what is no object with all of the keys. */
function keyText(value: unknown, keys: readonly string[]): string | undefined {
  if (!isObject(value)) return undefined;
  const texts = keys.map((key) => (Object.hasOwn(value, key) ? toText(value[key]) : undefined));
  return texts.includes(undefined) ? undefined : JSON.stringify(texts);
}

/** `keyOf` is undefined for items that have none. */
function refuseDuplicates(
  keyOf: (item: unknown) => string | undefined,
): (items: unknown[], context: RefinementContext) => void {
  return (items, context) => {
    const seen = new Set<string>();
    for (const [i, item] of items.entries()) {
      const key = keyOf(item);
      if (key === undefined) continue;
      if (seen.has(key)) context.addIssue({ code: 'custom', message: 'duplicate entry', path: [i] });
      seen.add(key);
    }
  };
}

function isCalendarDate(time: string): boolean {
  const [year = 0, month = 0, day = 0] = time.slice(0, 10).split('-').map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  // Date.UTC reads years below 100 as 19xx, so those dates are not recognised; they are never needed.
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
