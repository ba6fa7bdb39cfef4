import { toPrintable } from '../terminal/index.ts';
import type { Position } from './documents.ts';

/** A problem in a file, with the position where it can be fixed. */
export interface FileProblem extends Position {
  /** The path: the folder as given, and the path below it. */
  readonly file: string;
  /** `Kind/name`. */
  readonly object?: string;
  /** `spec.config.targets[0]`. */
  readonly path?: string;
  readonly message: string;
  /** Problems elsewhere that are there because of this one. */
  readonly consequences?: readonly FileProblem[];
}

/** `file:line:column: Kind/name: field: message` in one line, which editors turn into links; safe for a terminal. */
export function formatProblem({ file, line, column, object, path, message }: FileProblem): string {
  const parts = [`${file}:${line}:${column}`, object, path, message];
  return toPrintable(parts.filter((part) => part !== undefined && part !== '').join(': '));
}

/** The line of each problem, and below it the lines of what follows from it. */
export const problemLines = (problems: readonly FileProblem[]): readonly string[] =>
  problems.flatMap((problem) => [
    formatProblem(problem),
    ...(problem.consequences ?? []).map((consequence) => `  follows: ${formatProblem(consequence)}`),
  ]);

/** `2 problems, and 3 that follow from them`. */
export function countProblems(problems: readonly FileProblem[]): string {
  const follow = problems.reduce((sum, { consequences = [] }) => sum + consequences.length, 0);
  const found = `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
  return follow === 0
    ? found
    : `${found}, and ${follow} that follow${follow === 1 ? 's' : ''} from ${problems.length === 1 ? 'it' : 'them'}`;
}

/** Orders problems by file and position. */
export function byPosition(a: FileProblem, b: FileProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
