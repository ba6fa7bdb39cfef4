/** Looks into schemas: which members a value may have. */
import { z } from 'zod';

/** The schema without its wrappers: whether it may be absent, has a default or is read-only. */
export function unwrapSchema(schema: z.ZodType): z.ZodType {
  let current = schema;
  while (
    current instanceof z.ZodOptional ||
    current instanceof z.ZodDefault ||
    current instanceof z.ZodNullable ||
    current instanceof z.ZodReadonly
  ) {
    current = current.unwrap() as z.ZodType; // zod's own type of the inner schema
  }
  return current;
}

/** Names of the members of the object at a path; none where the schema does not fix them. */
export function memberNames(schema: z.ZodType, path: readonly (string | number)[]): readonly string[] {
  const current = unwrapSchema(schema);
  if (current instanceof z.ZodUnion) {
    return current.options.flatMap((option) => memberNames(option as z.ZodType, path)); // zod's own type of the option
  }
  const [step, ...rest] = path;
  if (step === undefined) return current instanceof z.ZodObject ? Object.keys(current.shape) : [];
  const next = childOf(current, step);
  return next === undefined ? [] : memberNames(next, rest);
}

function childOf(schema: z.ZodType, step: string | number): z.ZodType | undefined {
  if (schema instanceof z.ZodArray) return typeof step === 'number' ? (schema.element as z.ZodType) : undefined; // zod's own type of the element
  if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, step)) return undefined;
  return schema.shape[step] as z.ZodType;
}
