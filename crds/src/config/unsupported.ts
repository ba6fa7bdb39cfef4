/** Values of routing configs that this version parses and refuses, because nothing implements them yet: never ignored. */
import type { Issue } from '../schema/index.ts';
import type { RoutingNode } from './node.ts';

/** The unsupported members of one node. */
export function unsupportedIssues(node: RoutingNode, path: readonly (string | number)[]): Issue[] {
  if (node.cache?.mode !== 'semantic') return [];
  const message = 'the semantic cache is not part of this version; use simple';
  return [{ code: 'unsupported', path: [...path, 'cache', 'mode'], message }];
}
