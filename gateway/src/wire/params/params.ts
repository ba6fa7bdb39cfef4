/** Which parameters of a client the body of another format says; the writers of bodies declare them. */
import { isObject } from '@gatehouse/crds';

/** Whether a body says what a parameter asks for. */
export type Takes = (name: string, value: unknown) => boolean;

/** Takes the named parameters; those of `values` only with the values that the predicate holds for. */
export function taking(
  names: readonly string[],
  values: Readonly<Record<string, (value: unknown) => boolean>> = {},
): Takes {
  const known = new Set(names);
  const checks = new Map(Object.entries(values));
  return (name, value) => {
    const check = checks.get(name);
    return check === undefined ? known.has(name) : check(value);
  };
}

export const takesAll: Takes = () => true;

/** A response format with a schema. */
export const isSchemaFormat = (format: unknown): boolean => isObject(format) && format['type'] === 'json_schema';

/** Tools that are all functions of the client. */
export const areFunctions = (tools: unknown): boolean =>
  Array.isArray(tools) && tools.every((tool) => isObject(tool) && isObject(tool['function']));
