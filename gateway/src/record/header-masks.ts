/** Which headers are masked in logs: docs/behaviour/request-logs.md#masking. */
import { toOwnName } from '../lib/header-aliases.ts';
import { parseHeaderList } from '../lib/header-list.ts';

/** Names, lower case. */
export interface HeaderNames {
  has(name: string): boolean;
}

export interface MaskSources {
  /** Lists of a Snapshot: each is compiled once. */
  readonly lists: readonly (readonly string[])[];
  /** `x-gw-sensitive-headers` of the request. */
  readonly given: string | undefined;
}

/** `aliases`: further prefixes of the gateway's own headers, which lists may use. */
export function createHeaderMasks(aliases: readonly string[]): (sources: MaskSources) => HeaderNames {
  const compiled = new WeakMap<readonly string[], ReadonlySet<string>>();
  const namesIn = (list: readonly string[]): ReadonlySet<string> =>
    new Set(list.map((name) => toOwnName(name, aliases)));
  const compiledOf = (list: readonly string[]): ReadonlySet<string> => {
    const names = compiled.get(list) ?? namesIn(list);
    compiled.set(list, names);
    return names;
  };
  return ({ lists, given }) => {
    const sets = lists.map(compiledOf);
    if (given !== undefined) sets.push(namesIn(parseHeaderList(given)));
    return { has: (name) => sets.some((names) => names.has(name)) };
  };
}
