/**
 * Members of routing configs that this version parses and refuses, because nothing implements them yet: never ignored. The
 * feature that implements a member deletes its row.
 */
import type { Issue } from '../schema/index.ts';
import type { RoutingNode } from './node.ts';

export const UNSUPPORTED_MEMBERS: readonly { readonly field: keyof RoutingNode; readonly engine: string }[] = [
  { field: 'promptId', engine: 'the prompt library is' },
];

/** The unsupported members of one node; empty lists pass. */
export function unsupportedIssues(node: RoutingNode, path: readonly (string | number)[]): Issue[] {
  const issues: Issue[] = UNSUPPORTED_MEMBERS.filter(({ field }) => isSet(node[field])).map(({ field, engine }) => ({
    code: 'unsupported',
    path: [...path, field],
    message: `${engine} not part of this version`,
  }));
  if (node.cache?.mode === 'semantic') {
    issues.push({
      code: 'unsupported',
      path: [...path, 'cache', 'mode'],
      message: 'the semantic cache is not part of this version; use simple',
    });
  }
  return issues;
}

const isSet = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);
