/** Levels of nesting of a document: bounds the stack of every walk over it. */
export const MAX_DOCUMENT_DEPTH = 100;

/** Whether a JSON value is nested deeper than `levels`; the check itself goes no deeper. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
