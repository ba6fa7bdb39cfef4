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
}

/** `file:line:column: Kind/name: field: message`, which editors turn into links. */
export function formatProblem({ file, line, column, object, path, message }: FileProblem): string {
  return [`${file}:${line}:${column}`, object, path, message]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
}

/** Orders problems by file and position. */
export function byPosition(a: FileProblem, b: FileProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
