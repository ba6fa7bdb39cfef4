/** Bodies and changes as one list of attributes that get a value. */
import { isObject } from '@gatehouse/crds';
import type { scimUsers } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { type AttributePath, parsePath } from './path.ts';
import { scimError } from './problem.ts';

export interface Change {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: AttributePath;
  readonly value: unknown;
  /** The directory has named the attribute by its path: an unknown one is its mistake. */
  readonly isNamed: boolean;
}

type PatchBody = z.output<(typeof scimUsers)['patch']['body']>;

/** The members of a body. Throws RestError with `invalidPath`. */
export const changesOfBody = (body: Readonly<Record<string, unknown>>): readonly Change[] =>
  changesOfValue('replace', body);

/** Names of operations are known in upper and lower case. Throws RestError. */
export function changesOfPatch({ Operations }: PatchBody): readonly Change[] {
  return Operations.flatMap(({ op: given, path, value }): readonly Change[] => {
    const op = given.toLowerCase();
    if (op !== 'add' && op !== 'replace' && op !== 'remove') {
      throw scimError('invalidSyntax', 'Operations: op is add, replace or remove');
    }
    if (typeof path === 'string' && path !== '') return [{ op, path: parsePath(path), value, isNamed: true }];
    if (op === 'remove') throw scimError('noTarget', 'Operations: remove needs a path');
    if (!isObject(value)) throw scimError('invalidValue', 'Operations: without a path the value is an object');
    return changesOfValue(op, value);
  });
}

/** Members may be paths themselves: `name.givenName`, or a URN with an attribute. */
function changesOfValue(op: 'add' | 'replace', value: Readonly<Record<string, unknown>>): readonly Change[] {
  return Object.entries(value).flatMap(([name, one]): Change[] => {
    if (name.includes('[') || /[\s"]/.test(name)) return []; // no attribute of ours
    return [{ op, path: parsePath(name), value: one, isNamed: false }];
  });
}
