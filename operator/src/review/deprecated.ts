/** Fields that still work and should not be used any more: their schema says `deprecated`. */
import { formatPath, isObject } from '@gatehouse/crds';
import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import { z } from 'zod';

type Path = readonly (string | number)[];

/** One warning for each deprecated field that an object sets. */
export function deprecationsIn(kind: KindName, object: { readonly [member: string]: unknown }): readonly string[] {
  return deprecationsOf(KINDS[kind].spec, object['spec'], ['spec']);
}

/** The same for any schema and value. */
export function deprecationsOf(schema: z.core.$ZodType, value: unknown, path: Path): readonly string[] {
  const { inner, deprecated } = unwrap(schema);
  const own = deprecated && value !== undefined ? [`${formatPath(path)} is deprecated`] : [];
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return [...own, ...value.flatMap((item, i) => deprecationsOf(inner.element, item, [...path, i]))];
  }
  if (!(inner instanceof z.ZodObject) || !isObject(value)) return own;
  const members = Object.entries(inner.shape).filter(([name]) => Object.hasOwn(value, name));
  return [...own, ...members.flatMap(([name, member]) => deprecationsOf(member, value[name], [...path, name]))];
}

/** The schema inside optional, default and lazy; any of the layers may have the mark. */
function unwrap(schema: z.core.$ZodType): { readonly inner: z.core.$ZodType; readonly deprecated: boolean } {
  const deprecated = z.globalRegistry.get(schema)?.deprecated === true;
  const below =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodLazy
      ? unwrap(schema.unwrap())
      : { inner: schema, deprecated: false };
  return { inner: below.inner, deprecated: deprecated || below.deprecated };
}
