import { z } from 'zod';
import { isObject } from '../lib/result.ts';
import type { Issue } from '../schema/index.ts';
import { canonicalJson } from '../snapshot/canonical.ts';
import type { AnyKind } from './parts/index.ts';
import { KINDS, type KindName } from './registry.ts';

interface ImmutableField {
  readonly name: string;
  readonly message: string;
}

/** The members of a Kind's spec that never change after creation. */
export function immutableFields({ spec }: AnyKind): ImmutableField[] {
  return Object.entries(spec instanceof z.ZodObject ? spec.shape : {}).flatMap(([name, field]) => {
    const message = inner(field).meta()?.immutable;
    return message === undefined ? [] : [{ name, message }];
  });
}

/** Which immutable fields an update would change; both sides are parsed resources of the Kind. */
export function immutableIssues(kind: KindName, before: { spec: unknown }, after: { spec: unknown }): Issue[] {
  return immutableFields(KINDS[kind])
    .filter(({ name }) => canonicalJson(member(before.spec, name)) !== canonicalJson(member(after.spec, name)))
    .map(({ name, message }) => ({ code: 'invalid', path: ['spec', name], message }));
}

const member = (spec: unknown, name: string): unknown => (isObject(spec) ? spec[name] : undefined);

function inner(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field;
}
