/** Which manager owns which field of an object: `metadata.managedFields` of the API server, in the form FieldsV1. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@gatehouse/crds';

/** The fields that one manager has set by one kind of operation. */
export interface ManagedEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly fields: FieldSet;
  /** Of the last change, RFC 3339. */
  readonly time: string | undefined;
}

/** Members `f:name`, items `k:{"key":"value"}`, `v:"value"` or `i:0`, and `.` for the value itself. */
type FieldSet = Readonly<Record<string, unknown>>;

/** The entries of an object; those of subresources are left out. */
export function managedEntries(metadata: object): readonly ManagedEntry[] {
  const entries: unknown = 'managedFields' in metadata ? metadata.managedFields : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown): ManagedEntry[] => {
    if (!isObject(entry) || !isObject(entry['fieldsV1'])) return [];
    const { manager, operation, subresource = '', fieldsV1: fields, time } = entry;
    if (typeof manager !== 'string' || (operation !== 'Apply' && operation !== 'Update') || subresource !== '')
      return [];
    return [{ manager, operation, fields, time: typeof time === 'string' ? time : undefined }];
  });
}

/** The part of an object that a set of fields is about. */
export function ownedPart(value: unknown, fields: FieldSet): unknown {
  const keys = Object.keys(fields).filter((key) => key !== '.');
  if (keys.length === 0) return value;
  if (Array.isArray(value)) return ownedItems(value, fields);
  if (!isObject(value)) return undefined;
  const members = keys.flatMap((key): [string, unknown][] => {
    const name = key.slice('f:'.length);
    if (!key.startsWith('f:') || !Object.hasOwn(value, name)) return [];
    return [[name, ownedPart(value[name], setIn(fields, key))]];
  });
  return Object.fromEntries(members.filter(([, part]) => part !== undefined));
}

/** In the order that the items have. */
function ownedItems(items: readonly unknown[], fields: FieldSet): readonly unknown[] {
  const keys = Object.keys(fields);
  return items.flatMap((item, i) => {
    const key = keys.find((one) => isKeyOf(one, item, i));
    if (key === undefined) return [];
    const part = ownedPart(item, setIn(fields, key));
    return [isObject(part) && key.startsWith('k:') ? { ...(parsed(key) as object), ...part } : part]; // isKeyOf has read it
  });
}

function isKeyOf(key: string, item: unknown, position: number): boolean {
  if (key === `i:${position}`) return true;
  const value = parsed(key);
  if (key.startsWith('v:')) return isDeepStrictEqual(value, item);
  if (!key.startsWith('k:') || !isObject(value) || !isObject(item)) return false;
  return Object.entries(value).every(([name, member]) => isDeepStrictEqual(item[name], member));
}

function parsed(key: string): unknown {
  try {
    return JSON.parse(key.slice(2));
  } catch {
    return undefined;
  }
}

const setIn = (fields: FieldSet, key: string): FieldSet => {
  const below = fields[key];
  return isObject(below) ? below : {};
};

/** Whether a set of fields has the field at a path, something in it, or the whole that it is in. */
export function hasField(fields: FieldSet, path: readonly (string | number)[]): boolean {
  let below = fields;
  for (const step of path) {
    const found = below[`f:${step}`];
    if (!isObject(found)) return false;
    if (Object.keys(found).length === 0) return true;
    below = found;
  }
  return true;
}
