/**
 * Types of what a door reads: a member of another type is refused by its path, where reading would take it for absent. Members
 * that are null are absent, and those that go on as they are need no check.
 */
import { isObject } from '@gatehouse/crds';
import { refuseShape } from './refuse.ts';

/** Throws PARAMETER_INVALID. */
export type Check = (value: unknown, path: string) => void;

const checkOf =
  (expected: string, isGood: (value: unknown) => boolean): Check =>
  (value, path) => {
    if (!isGood(value)) refuseShape(path, expected);
  };

export const text = checkOf('a text', (value) => typeof value === 'string');
export const flag = checkOf('true or false', (value) => typeof value === 'boolean');
export const number = checkOf('a number', (value) => typeof value === 'number');

export const oneOf = (expected: string, values: ReadonlySet<unknown>): Check =>
  checkOf(expected, (value) => values.has(value));

export const list =
  (expected: string, check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return refuseShape(path, expected);
    for (const [i, item] of value.entries()) check(item, `${path}[${i}]`);
  };

/** `nameOf`: what `members` call a name of the client. */
export function object(members: Readonly<Record<string, Check>> = {}, nameOf = (name: string): string => name): Check {
  const checks = new Map(Object.entries(members));
  return (value, path) => {
    if (!isObject(value)) return refuseShape(path, 'an object');
    if (checks.size === 0) return;
    for (const [given, member] of Object.entries(value)) {
      const name = nameOf(given);
      if (member !== undefined && member !== null) checks.get(name)?.(member, path === '' ? name : `${path}.${name}`);
    }
  };
}
