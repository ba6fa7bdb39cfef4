/** Values as directories send them. Each throws RestError with `invalidValue` that names the attribute. */
import { brokenTextAt, isObject } from '@gatehouse/crds';
import { scimError } from './problem.ts';

const MAX_TEXT = 255;

/** Undefined for what is not there: null, or an empty text. */
export function textOf(value: unknown, attribute: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw scimError('invalidValue', `${attribute}: expected a text`);
  if (value.length > MAX_TEXT) throw scimError('invalidValue', `${attribute}: at most ${MAX_TEXT} characters`);
  if (brokenTextAt(value) !== undefined)
    throw scimError('invalidValue', `${attribute}: has a character that is no text`);
  return value;
}

/** `"True"` and `"False"` are texts that some directories send. */
export function flagOf(value: unknown, attribute: string): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (word === 'true' || word === 'false') return word === 'true';
  throw scimError('invalidValue', `${attribute}: expected true or false`);
}

/** A value, or several, each with its members in lower case; texts are values. */
export function itemsOf(value: unknown, attribute: string, max: number): readonly Readonly<Record<string, unknown>>[] {
  if (value === undefined || value === null) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.length > max) throw scimError('invalidValue', `${attribute}: at most ${max} values`);
  return items.map((item) => {
    if (typeof item === 'string') return { value: item };
    if (isObject(item)) return inLowerCase(item);
    throw scimError('invalidValue', `${attribute}: expected objects with a value`);
  });
}

export const inLowerCase = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toLowerCase(), one]));
