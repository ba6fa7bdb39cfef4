/** Counts of a usage object that no provider reports: for answers that come from callers. */
import { MAX_COUNT } from './token-usage.ts';

export interface WrongCount {
  /** Below the usage object. */
  readonly path: readonly (string | number)[];
  readonly rule: string;
}

/** Members that hold counts, in every format that is read; the members of `server_tool_use` are counts, too. */
const COUNT = /(?:tokens|tokencount|tokens_?count)$|^(?:num_search_queries|num_sources_used|seconds)$/i;
const TOOLS = 'server_tool_use';
/** Counts are at most that deep. */
const MAX_DEPTH = 4;

/** The first count that is no number of at least 0, or more than is ever counted. A count that is null is not there. */
export function findWrongCount(usage: Readonly<Record<string, unknown>>): WrongCount | undefined {
  return search(usage, [], false);
}

function search(node: object, path: WrongCount['path'], allCount: boolean): WrongCount | undefined {
  if (path.length >= MAX_DEPTH) return undefined;
  for (const [name, value] of Object.entries(node)) {
    const at = [...path, Array.isArray(node) ? Number(name) : name];
    const wrong =
      typeof value === 'object' && value !== null
        ? search(value, at, name === TOOLS)
        : wrongValue(value, at, allCount || COUNT.test(name));
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongValue(value: unknown, path: WrongCount['path'], isCount: boolean): WrongCount | undefined {
  if (!isCount || value === null) return undefined;
  if (typeof value === 'number' && value >= 0 && value <= MAX_COUNT) return undefined;
  return { path, rule: `is a number from 0 to ${MAX_COUNT}` };
}
