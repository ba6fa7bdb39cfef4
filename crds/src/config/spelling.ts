/**
 * Two spellings, one definition: schemas are written in camelCase; inline configs and REST may use snake_case at every
 * typed node. Members of opaque nodes are never renamed.
 */
import { z } from 'zod';
import { isObject } from '../lib/result.ts';
import { unwrapSchema } from '../schema/index.ts';

/** `on_status_codes` to `onStatusCodes`. */
export const toCamel = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `onStatusCodes` to `on_status_codes`. */
export const toSnake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Renames the keys of typed nodes to camelCase, whichever spelling they have. Unknown keys stay as they are. */
export function camelKeys(schema: z.ZodType, value: unknown): unknown {
  return walk(schema, value, (key, shape) => {
    const camel = toCamel(key);
    return Object.hasOwn(shape, camel) ? camel : key;
  });
}

/** Renames the keys of typed nodes to snake_case. */
export function snakeKeys(schema: z.ZodType, value: unknown): unknown {
  return walk(schema, value, (key, shape) => (Object.hasOwn(shape, key) ? toSnake(key) : key));
}

type Shape = Readonly<Record<string, z.ZodType>>;
type Rename = (key: string, shape: Shape) => string;

function walk(schema: z.ZodType, value: unknown, rename: Rename): unknown {
  if (schema.meta()?.opaque === true) return value;
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => walk(inner.element as z.ZodType, item, rename));
  }
  if (!(inner instanceof z.ZodObject) || !isObject(value)) return value;
  const shape = inner.shape as Shape;
  const out: Record<string, unknown> = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    const camel = toCamel(key);
    const known = Object.hasOwn(shape, camel) ? shape[camel] : undefined;
    out[rename(key, shape)] = known === undefined ? member : walk(known, member, rename);
  }
  return out;
}
