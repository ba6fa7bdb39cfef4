/** What is wrong with the first item that has a fault, else nothing. */
export function firstFault(
  items: readonly unknown[],
  faultOf: (item: unknown, at: number) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const fault = faultOf(item, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
