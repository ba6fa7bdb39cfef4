/** Where the values of credentials come from. */
import { isObject } from '@gatehouse/crds';
import { API_KEY } from '@gatehouse/crds/providers';
import { type Lookup, objectKey, type SecretData } from '@gatehouse/operator/translate';
import { variableOf } from '../resource-folder/index.ts';
import { type Credentials, MASK, Refused } from '../rest-families/index.ts';

/** The mask in place of each text and number, as answers have it. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, masked(one)]));
  return typeof value === 'string' || typeof value === 'number' ? MASK : value;
}

/** Masks for all of them: for bodies that are compared with what is served. */
export const MASKED: Credentials = {
  entry: () => MASK,
  entries: (_, keys) => Object.fromEntries((keys.includes(API_KEY) ? [API_KEY] : keys).map((key) => [key, MASK])),
  literal: masked,
};

interface Known {
  readonly secrets: Lookup<SecretData>;
  /** Of the object that names the Secrets. */
  readonly namespace: string | undefined;
}

/** The values; throws Refused for one that is neither in the files nor in the environment. */
export function revealed({ secrets, namespace }: Known): Credentials {
  const known = (secret: string, key: string) => secrets.get(objectKey(namespace, secret))?.get(key) || undefined;
  return {
    entry: (secret, key, path) => {
      const value = known(secret, key);
      if (value !== undefined) return value;
      throw new Refused(
        path,
        `the Secret ${secret} has no entry ${key} in the files; ${variableOf(secret, key)} is not set`,
      );
    },
    entries: (secret, keys, path) => {
      const found = keys.flatMap((key) => {
        const value = known(secret, key);
        return value === undefined ? [] : [[key, value] as const];
      });
      if (found.length > 0) return Object.fromEntries(found);
      throw new Refused(path, `the Secret ${secret} is not in the files, with any of ${keys.join(', ')}`);
    },
    literal: (value) => value,
  };
}

/** The same, with masks where a value is not known. */
export function revealedOrMasked(known: Known): Credentials {
  const values = revealed(known);
  const or = <A extends unknown[], R>(wanted: (...args: A) => R, otherwise: (...args: A) => R) => {
    return (...args: A): R => {
      try {
        return wanted(...args);
      } catch (error) {
        if (error instanceof Refused) return otherwise(...args);
        throw error;
      }
    };
  };
  return {
    entry: or(values.entry, MASKED.entry),
    entries: or(values.entries, MASKED.entries),
    literal: (value) => value,
  };
}
