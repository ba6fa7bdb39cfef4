/**
 * Freezes a JSON value with everything in it: code that changes a shared object fails at once. Objects may be nested deeper
 * than the stack allows, so that there is no recursion.
 */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) open.push(member);
  }
  return value;
}
