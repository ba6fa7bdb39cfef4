/** What differs between two bodies, leaf by leaf. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@gatehouse/crds';

export interface Difference {
  /** As `param` of errors names it, e.g. `config.targets[0].provider`. */
  readonly param: string;
  /** Undefined: it is not there. */
  readonly served: unknown;
  readonly wanted: unknown;
}

/** Lists of the same length are compared item by item, others as a whole. */
export function differencesOf(served: unknown, wanted: unknown, param = ''): readonly Difference[] {
  if (isDeepStrictEqual(served, wanted)) return [];
  if (isObject(served) && isObject(wanted)) {
    const names = [...new Set([...Object.keys(served), ...Object.keys(wanted)])].sort();
    return names.flatMap((name) => differencesOf(served[name], wanted[name], param === '' ? name : `${param}.${name}`));
  }
  if (Array.isArray(served) && Array.isArray(wanted) && served.length === wanted.length) {
    return wanted.flatMap((item, i) => differencesOf(served[i], item, `${param}[${i}]`));
  }
  return [{ param, served, wanted }];
}
