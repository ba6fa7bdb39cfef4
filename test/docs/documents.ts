/** The Markdown documents of the repository, taken apart: code blocks and links. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Block {
  readonly document: string;
  /** Of the first line inside the fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

export interface Link {
  readonly document: string;
  readonly line: number;
  readonly target: string;
}

const isMarkdown = (path: string): boolean => path.endsWith('.md');

/** Paths of the repository's documents: those in its root and everything in docs/. */
export function documents(): readonly string[] {
  const below = (folder: string): string[] =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isMarkdown(entry.name))
      .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(ROOT.length));
  return [...readdirSync(ROOT).filter(isMarkdown).sort(), ...below('docs').sort()];
}

/** The guides of a cluster, in the order of installation, use and removal. */
const CLUSTER_GUIDES = ['kubernetes', 'sidecars', 'tenancy', 'operations', 'upgrade', 'remove'] as const;

/** The blocks of the guides of a cluster: run in this order, they work. */
export function clusterGuideBlocks(): readonly Block[] {
  return CLUSTER_GUIDES.flatMap((name) => blocksOf(`docs/guide/${name}.md`));
}

const FENCE = /^\s*```(\S*)/;

/** The fenced blocks of a document. */
export function blocksOf(document: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; language: string; lines: string[] } | undefined;
  for (const [index, line] of linesOf(document).entries()) {
    const fence = FENCE.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === undefined) open = { line: index + 2, language: fence[1] ?? '', lines: [] };
    else {
      blocks.push({ document, line: open.line, language: open.language, text: open.lines.join('\n') });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${document}:${open.line}: the block never ends`);
  return blocks;
}

/** The links of a document that are not to the web. */
export function linksOf(document: string): readonly Link[] {
  return linesOf(document).flatMap((line, index) =>
    [...line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => ({ document, line: index + 1, target }))
      .filter(({ target }) => !/^[a-z]+:/.test(target)),
  );
}

const linesOf = (document: string): readonly string[] => readFileSync(`${ROOT}${document}`, 'utf8').split('\n');
