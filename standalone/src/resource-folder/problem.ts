import type { Position } from './documents.ts';

/** Something wrong with a file, placed where a person can mend it. */
export interface FileProblem extends Position {
  /** As the folder was named, and the way from there. */
  readonly file: string;
  /** `Kind/name`. */
  readonly object?: string;
  /** `spec.config.targets[0]`. */
  readonly path?: string;
  readonly message: string;
}

/** `file:line:column: Kind/name: field: message`, the form editors make links of. */
export function formatProblem({ file, line, column, object, path, message }: FileProblem): string {
  return [`${file}:${line}:${column}`, object, path, message]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
}

/** Orders problems by file and place. */
export function byPosition(a: FileProblem, b: FileProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
