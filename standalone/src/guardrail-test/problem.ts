import { formatPath, type Issue } from '@gatehouse/crds';
import { type FileProblem, parseText, type SourceDocument } from '../resource-folder/index.ts';

/** A file that cannot be used, with all reasons. */
export class BadFile extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super('the file cannot be used');
    this.problems = problems;
  }
}

/** The documents of YAML or JSON that are not empty. Throws BadFile. */
export function documentsOf(file: string, text: string): readonly SourceDocument[] {
  const { documents, problems } = parseText(text);
  if (problems.length > 0) throw new BadFile(problems.map((problem) => ({ ...problem, file })));
  return documents.filter(({ value }) => value !== null && value !== undefined);
}

/** Where the issues of a document are. */
export const located = (issues: readonly Issue[], file: string, { locate }: SourceDocument): readonly FileProblem[] =>
  issues.map(({ path, message }) => ({ ...locate(path), file, path: formatPath(path), message }));

export const problemAt = (file: string, message: string): BadFile =>
  new BadFile([{ file, line: 1, column: 1, message }]);
