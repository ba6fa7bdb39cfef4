/** A part of a bundle. */
export interface Part {
  readonly fileName: string;
  /** Names of the parts that it imports when it is loaded. */
  readonly imports: readonly string[];
}

/**
 * Names of parts that import each other in a circle, undefined without any. One of them runs before what it needs is there: its
 * constants are undefined or cannot be read.
 */
export function partCycle(parts: readonly Part[]): readonly string[] | undefined {
  const importsOf = new Map(parts.map(({ fileName, imports }) => [fileName, imports]));
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(name)) return way.slice(way.indexOf(name));
    if (done.has(name)) return undefined;
    for (const next of importsOf.get(name) ?? []) {
      const cycle = visit(next, [...way, name]);
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of importsOf.keys()) {
    const cycle = visit(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
