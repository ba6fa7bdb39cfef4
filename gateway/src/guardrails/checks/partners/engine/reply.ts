/** Reading replies whose form nobody guarantees. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../../wire/contract.ts';
import { CheckFault } from '../../../outbound/index.ts';

/** The value below these names; undefined where there is none. */
export function member(value: unknown, ...names: readonly (string | number)[]): unknown {
  let here = value;
  for (const name of names) {
    if (Array.isArray(here) && typeof name === 'number') here = here[name];
    else if (isObject(here) && Object.hasOwn(here, name)) here = here[name];
    else return undefined;
  }
  return here;
}

export const objectAt = (value: unknown, ...names: readonly (string | number)[]): JsonObject | undefined => {
  const found = member(value, ...names);
  return isObject(found) ? found : undefined;
};

export const listAt = (value: unknown, ...names: readonly (string | number)[]): readonly unknown[] => {
  const found = member(value, ...names);
  return Array.isArray(found) ? found : [];
};

export const textAt = (value: unknown, ...names: readonly (string | number)[]): string | undefined => {
  const found = member(value, ...names);
  return typeof found === 'string' ? found : undefined;
};

export const numberAt = (value: unknown, ...names: readonly (string | number)[]): number | undefined => {
  const found = member(value, ...names);
  return typeof found === 'number' ? found : undefined;
};

/** The fault for a reply that lacks what the verdict depends on. */
export const malformed = (what: string): CheckFault =>
  new CheckFault('ParseError', `The answer of the service has no valid ${what}`);

export function needObject(value: unknown, what: string, ...names: readonly (string | number)[]): JsonObject {
  const found = objectAt(value, ...names);
  if (found === undefined) throw malformed(what);
  return found;
}

export function needBoolean(value: unknown, what: string, ...names: readonly (string | number)[]): boolean {
  const found = member(value, ...names);
  if (typeof found !== 'boolean') throw malformed(what);
  return found;
}
