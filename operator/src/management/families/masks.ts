/** Secrets go in and are shown as masks. */
import { isObject } from '@gatehouse/crds';

export const MASK = '********';

/** The value with a mask in place of each text and number. */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, masked(one)]));
  return typeof value === 'string' || typeof value === 'number' ? MASK : value;
}

/** Whether a value is what an answer has shown: all of it is masked. */
export function isMasked(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isMasked);
  if (isObject(value)) return Object.keys(value).length > 0 && Object.values(value).every(isMasked);
  return value === MASK;
}
