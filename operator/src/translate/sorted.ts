/**
 * A sorted list after some items have left and others have come: the same list if neither happened. Costs one pass, where
 * sorting again would cost the logarithm of a hundred thousand on top.
 */
export function updateSorted<T>(
  before: readonly T[],
  { left, came }: { readonly left: ReadonlySet<T>; readonly came: readonly T[] },
  keyOf: (item: T) => string,
): readonly T[] {
  if (left.size === 0 && came.length === 0) return before;
  const fresh = [...came].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const merged: T[] = [];
  let next = 0;
  for (const item of before) {
    if (left.has(item)) continue;
    for (let due = fresh[next]; due !== undefined && keyOf(due) < keyOf(item); due = fresh[next]) {
      merged.push(due);
      next += 1;
    }
    merged.push(item);
  }
  return merged.concat(fresh.slice(next));
}
