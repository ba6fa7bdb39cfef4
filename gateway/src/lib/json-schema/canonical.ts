/** JSON values as texts that are equal when the values are. */
import { isObject } from '@gatehouse/crds';
import type { Steps } from '../steps.ts';
import type { Work } from './run.ts';

/** As `canonical`, for values that are known to be small. */
export function canonicalNow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalNow).join(',')}]`;
  if (!isObject(value)) return scalarText(value);
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalNow(value[name])}`).join(',')}}`;
}

/** Names of objects in one order, numbers as JavaScript has them. Costs what the value is large. */
export function* canonical(value: unknown, work: Work): Steps<string> {
  if (Array.isArray(value)) {
    const items: string[] = [];
    for (const item of value) {
      if (work.spend(unitsOf(item))) yield;
      items.push(isScalar(item) ? scalarText(item) : yield* canonical(item, work));
    }
    return `[${items.join(',')}]`;
  }
  if (!isObject(value)) return scalarText(value);
  const names = Object.keys(value).toSorted();
  const members: string[] = [];
  for (const name of names) {
    const member = value[name];
    if (work.spend(unitsOf(name) + unitsOf(member))) yield;
    members.push(`${JSON.stringify(name)}:${isScalar(member) ? scalarText(member) : yield* canonical(member, work)}`);
  }
  return `{${members.join(',')}}`;
}

const unitsOf = (value: unknown): number => 2 + (typeof value === 'string' ? value.length >> 3 : 0);

/** `JSON.stringify` has no text for numbers beyond the range. */
const scalarText = (value: unknown): string =>
  typeof value === 'number' ? String(value === 0 ? 0 : value) : JSON.stringify(value);

/** Set has them apart as JSON does: 1 is not "1", and 0 is -0. */
export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
