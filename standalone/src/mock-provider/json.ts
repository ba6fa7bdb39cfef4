import { isObject } from '@gatehouse/crds';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The member as a string, or nothing when it is absent or of another type; the same for its siblings below. */
export function readString(from: JsonObject, key: string): string | undefined {
  const value = from[key];
  return typeof value === 'string' ? value : undefined;
}

export function readNumber(from: JsonObject, key: string): number | undefined {
  const value = from[key];
  return typeof value === 'number' ? value : undefined;
}

export function readList(from: JsonObject, key: string): readonly unknown[] | undefined {
  const value = from[key];
  return Array.isArray(value) ? value : undefined;
}

export function readObject(from: JsonObject, key: string): JsonObject | undefined {
  const value = from[key];
  return isObject(value) ? value : undefined;
}

/** The objects of a list member; anything else in it is skipped. */
export function readObjects(from: JsonObject, key: string): readonly JsonObject[] {
  return (readList(from, key) ?? []).filter(isObject);
}

/** A string or a list of strings, as a list. */
export function readStrings(from: JsonObject, key: string): readonly string[] {
  const value = from[key];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A number that is a positive integer or zero, else nothing. */
export function readCount(from: JsonObject, key: string): number | undefined {
  const value = from[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
