/** Members of bodies as drafts have them. */

/** Members that are given: null takes a value away, as undefined does in a draft. */
export function givenFields(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, value ?? undefined]));
}
