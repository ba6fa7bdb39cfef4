/** Tolerant reading of JSON from outside: a member that is absent or of another type reads as undefined or empty. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';

type Source = JsonObject | undefined;

/** The member when it is an object. */
export function objectAt(source: Source, key: string): JsonObject | undefined {
  const value = source?.[key];
  return isObject(value) ? value : undefined;
}

/** The members of a list that are objects. */
export function objectsAt(source: Source, key: string): readonly JsonObject[] {
  const value = source?.[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The member when it is text, the empty text included. */
export function textAt(source: Source, key: string): string | undefined {
  const value = source?.[key];
  return typeof value === 'string' ? value : undefined;
}

/** The member when it is a finite number. */
export function numberAt(source: Source, key: string): number | undefined {
  const value = source?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The object without members that are undefined or null. */
export function withoutAbsent(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== null));
}

/** The object, or undefined when it has no member. */
export function orAbsent(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}
