/** Paths of changes (RFC 7644, section 3.5.2): `name.givenName`, `members[value eq "1"]`, `emails[type eq "work"].value`. */

import { parseFilter, type Term, toAttribute } from './filter.ts';
import { scimError } from './problem.ts';

export interface AttributePath {
  /** In lower case. */
  readonly name: string;
  /** In lower case. */
  readonly sub: string | undefined;
  /** What selects items of a list: one of them. */
  readonly any: readonly Term[] | undefined;
  /** Of a schema that is not the core one. */
  readonly isExtension: boolean;
}

const PATH = /^([a-z$][\w$-]*)(?:\[([^\]]*)\])?(?:\.([a-z$][\w$-]*))?$/;

/** Throws RestError with `invalidPath` or `invalidFilter`. */
export function parsePath(text: string): AttributePath {
  const path = toAttribute(text);
  if (path.startsWith('urn:')) return { name: path, sub: undefined, any: undefined, isExtension: true };
  const [whole, name = '', , sub] = PATH.exec(path) ?? [];
  if (whole === undefined) throw scimError('invalidPath', `path: ${text.slice(0, 100)} is no path of an attribute`);
  // The value keeps its case.
  const filter = /\[([^\]]*)\]/.exec(text)?.[1];
  if (filter === undefined) return { name, sub, any: undefined, isExtension: false };
  const terms = parseFilter(filter, 'or');
  if (!terms.ok) throw scimError('invalidFilter', `path: ${terms.error}`);
  return { name, sub, any: terms.value, isExtension: false };
}
