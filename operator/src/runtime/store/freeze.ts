/**
 * Freezes a value of plain JSON and everything in it: a reader that changes a shared object fails at once. As deep as the API
 * server lets objects be, which is deeper than the stack.
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
