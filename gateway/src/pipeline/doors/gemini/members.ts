/** Members of the Gemini API, whose names come in either spelling: `inlineData` and `inline_data`. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';

const toSnake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const toCamel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `name`: in camel case. */
export function memberOf(object: JsonObject | undefined, name: string): unknown {
  return object?.[name] ?? object?.[toSnake(name)];
}

export function objectOf(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = memberOf(object, name);
  return isObject(value) ? value : undefined;
}

export function textIn(object: JsonObject | undefined, name: string): string | undefined {
  const value = memberOf(object, name);
  return typeof value === 'string' ? value : undefined;
}
