/**
 * Text of a text, a number or a boolean; empty for all else. An object from outside may have a `toString` that is no function,
 * which makes `String` throw.
 */
export const scalarText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
