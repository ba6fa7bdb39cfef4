/**
 * A sorted list after some items were removed and others added; the same list if there are neither. Items between two changes
 * are copied in one piece, so that one edit among a hundred thousand items costs a copy and no comparisons.
 */
export function updateSorted<T>(
  before: readonly T[],
  { left, came }: { readonly left: ReadonlySet<T>; readonly came: readonly T[] },
  keyOf: (item: T) => string,
): readonly T[] {
  if (left.size === 0 && came.length === 0) return before;
  const changes = [
    ...[...left].map((item) => ({ item, leaves: true })),
    ...came.map((item) => ({ item, leaves: false })),
  ];
  changes.sort((a, b) => compare(keyOf(a.item), keyOf(b.item)));
  const pieces: (readonly T[])[] = [];
  let from = 0;
  for (const { item, leaves } of changes) {
    const at = lowerBound(before, keyOf(item), keyOf, from);
    pieces.push(before.slice(from, at));
    if (!leaves) pieces.push([item]);
    from = leaves ? at + 1 : at;
  }
  pieces.push(before.slice(from));
  return pieces.flat();
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The first index from `from` on whose key is not below the given one. */
function lowerBound<T>(items: readonly T[], key: string, keyOf: (item: T) => string, from: number): number {
  let [low, high] = [from, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && keyOf(item) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
