/** The files of a folder as last read. A file that cannot be read or parsed keeps its previous content. */
import { readFile } from 'node:fs/promises';
import type { FoundProblem } from './consequences.ts';
import { parseText } from './documents.ts';
import { codeOf } from './listing.ts';
import { type FileContent, readObjects } from './objects.ts';
import type { FileProblem } from './problem.ts';

export interface LoadedFile {
  readonly signature: string;
  /** The content or, if the file is broken, its last valid content. */
  readonly content: FileContent;
  /** The file cannot be read or parsed as it is now. */
  readonly isBroken: boolean;
  /** Problems of the file as it is now. */
  readonly problems: readonly FoundProblem[];
}

export type FileSet = ReadonlyMap<string, LoadedFile>;

/** Largest file in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const NOTHING: FileContent = { objects: [], problems: [], ignored: [] };

/** Reads files that are new or have another signature; returns the same set if nothing has changed. */
export async function updateFiles(
  before: FileSet,
  signatures: ReadonlyMap<string, string>,
  defaultNamespace: string,
): Promise<FileSet> {
  const files = new Map<string, LoadedFile>();
  let changed = before.size !== signatures.size;
  for (const [path, signature] of signatures) {
    const last = before.get(path);
    const file = last?.signature === signature ? last : await loadFile(path, signature, { last, defaultNamespace });
    files.set(path, file);
    changed ||= file !== last;
  }
  return changed ? files : before;
}

interface LoadOptions {
  readonly last: LoadedFile | undefined;
  readonly defaultNamespace: string;
}

async function loadFile(path: string, signature: string, { last, defaultNamespace }: LoadOptions): Promise<LoadedFile> {
  const broken = (problems: readonly Omit<FileProblem, 'file'>[]): LoadedFile => ({
    signature,
    content: last?.content ?? NOTHING,
    isBroken: true,
    problems: problems.map((problem) => ({ problem: { file: path, ...problem }, withholds: [], refersTo: [] })),
  });
  const text = await readText(path);
  if (typeof text !== 'string') return broken([{ line: 1, column: 1, ...text }]);
  const parsed = parseText(text);
  if (parsed.problems.length > 0) return broken(parsed.problems);
  const content = readObjects(parsed.documents, { defaultNamespace });
  const problems = content.problems.map(({ withholds, mayBeTenancy: _, ...problem }) => ({
    problem: { file: path, ...problem },
    withholds,
    refersTo: [],
  }));
  return { signature, content, isBroken: false, problems };
}

async function readText(path: string): Promise<string | { readonly message: string }> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_BYTES) return { message: `the file is larger than ${MAX_BYTES / 1024 / 1024} MiB` };
    if (isUtf16(bytes)) return { message: 'the file is UTF-16; save it as UTF-8' };
    return bytes.toString('utf8');
  } catch (error) {
    return { message: `the file cannot be read (${codeOf(error)})` };
  }
}

/** By its byte order mark, in either order. */
const isUtf16 = (bytes: Buffer): boolean => {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
};
