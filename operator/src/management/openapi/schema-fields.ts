/** Whether a JSON Schema has a field. */

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** `path` has the names of members, with `[]` behind those of lists. Members that a schema leaves open are had. */
export function hasField(schema: unknown, path: string): boolean {
  return hasSteps(
    schema,
    path.split('.').flatMap((step) => (step !== '[]' && step.endsWith('[]') ? [step.slice(0, -2), '[]'] : [step])),
  );
}

function hasSteps(schema: unknown, steps: readonly string[]): boolean {
  if (!isSchema(schema)) return schema === true;
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  if (Object.keys(schema).length === 0) return true; // anything
  const variants = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((all) =>
    Array.isArray(all) ? all : [],
  );
  if (variants.some((variant) => hasSteps(variant, steps))) return true;
  if (step === '[]') return hasSteps(schema['items'], rest);
  const { properties, additionalProperties } = schema;
  if (isSchema(properties) && Object.hasOwn(properties, step)) return hasSteps(properties[step], rest);
  return schema['type'] === 'object' && hasSteps(additionalProperties, rest);
}
