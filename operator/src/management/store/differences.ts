/** What a draft changes, field by field. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@gatehouse/crds';

/** A new value of a field; undefined takes the field away. */
export interface FieldEdit {
  /** From the object. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** The edits that turn one value into another: maps member by member, all else as a whole. */
export function differences(before: unknown, after: unknown, path: FieldEdit['path'] = []): readonly FieldEdit[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path, value: after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => differences(before[name], after[name], [...path, name]));
}

/** The value as JSON has it: members that are undefined are gone. */
export const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? {}));
