/** Conditions on workspaces, by which tables are in order. */
import type { Question } from './question.ts';

/** Rows of one workspace are in the order of time: the newest of them are found without reading all. */
export function ofWorkspaces(q: Question, column: string, workspaces: readonly string[]): string {
  const [one, ...others] = workspaces;
  if (one !== undefined && others.length === 0) return `${column} = ${q.param(one, 'String')}`;
  return `${column} in ${q.param(workspaces, 'Array(String)')}`;
}
