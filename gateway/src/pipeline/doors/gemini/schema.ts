/** Schemas of the Gemini API, which are those of OpenAPI 3.0 with types in upper case, as JSON Schema. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';

export function toJsonSchema(schema: JsonObject): JsonObject {
  const { type, nullable, ...rest } = schema;
  const named = typeof type === 'string' ? type.toLowerCase() : type;
  const isUnspecified = named === undefined || named === 'type_unspecified';
  return {
    ...(isUnspecified ? {} : { type: nullable === true ? [named, 'null'] : named }),
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, inside(name, value)])),
  };
}

/** Members that hold one schema, a list of them, or schemas by name. */
function inside(name: string, value: unknown): unknown {
  if (name === 'properties' || name === '$defs' || name === 'defs') {
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, isObject(one) ? toJsonSchema(one) : one]),
    );
  }
  if (name === 'items' && isObject(value)) return toJsonSchema(value);
  if (name === 'anyOf' && Array.isArray(value)) return value.map((one) => (isObject(one) ? toJsonSchema(one) : one));
  return value;
}
