/** What comments and documents cite: pages of this repository, and documents outside it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from './documents.ts';

export interface Finding {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const IS_TEXT = /\.(?:ts|md|yaml|yml|json|tpl|lua|txt|http|go|mod)$|(?:^|\/)(?:Dockerfile|Makefile|run|[A-Z]+)$/;
/** Generated from packages of others, and this check with its test. */
const NOT_READ = /^(?:package-lock\.json|.*\.sum)$|^test\/docs\/citations/;

/** Tracked text files, paths below the root. */
export function textFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 });
  return listed
    .split('\0')
    .filter((path) => IS_TEXT.test(path) && !NOT_READ.test(path) && existsSync(join(ROOT, path)));
}

const AREAS =
  'lifecycle|config-routing|cache|errors|streaming|providers-hosts|limits-cost|logs-metrics|models-adapters|batch-files|guardrails|realtime-mcp';

/** References to design documents that are not part of the repository. */
const OUTSIDE: readonly RegExp[] = [
  /\bDESIGN(?:\.md)?\b/,
  /(?<!\/)\bbehaviour-[a-z]+/,
  /\bgateway-behaviour\b/,
  /(?<!sigs\.k8s\.io\/)\bgateway-api\b(?: ?[,("]|\.md| Limits)/,
  /\bengineering(?:\.md\b|,? section|,? \d)/,
  /\bmanagement-notes\b/,
  /\b(?:guardrail-checks\.md\b|providers\.yaml `)/,
  /\bspec\/(?:behaviour|gateway|providers|management|inference|guardrail|test)/,
  /\b[Ss]pec(?:,? section)? \d+(?:\.\d+)?\b/,
  /\b[Dd]ecisions? \d/,
  new RegExp(`\\b(?:${AREAS}) \\d+\\.\\d+`),
  /\bshared\/(?:DESIGN|engineering|spec|style)\b/,
];
/** Numbers of sections without their document; only in comments, where numbers are rarely anything else. */
const BARE_SECTION = /(?:\((?:checks? )?|[;,] )[1-9]\d?\.\d{1,2}(?: [A-Z]| "[^"]*")?(?:\)|\. \*\/|\.$| \*\/)/;
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/|#)|\s\/\/ /;

/** Whether a line of a file cites a document from outside the repository. */
export const citesOutside = (line: string): boolean =>
  OUTSIDE.some((pattern) => pattern.test(line)) || (COMMENT.test(line) && BARE_SECTION.test(line));

/** Lines that cite a document from outside the repository. */
export function outsideCitations(file: string): readonly Finding[] {
  return linesOf(file).flatMap((text, index) =>
    citesOutside(text) ? [{ file, line: index + 1, text: text.trim() }] : [],
  );
}

const PAGE = /(?<![\w/.-])docs\/[\w./-]+\.md(?:#[\w-]+)?/g;
const LINK = /\]\(([^)\s]*\.md)?(#[^)\s]+)?\)/g;

/** Mentions of pages, and links between them, that lead nowhere: the file is missing, or has no such heading. */
export function deadPages(file: string): readonly Finding[] {
  return linesOf(file).flatMap((text, index) => {
    const mentioned = [...text.matchAll(PAGE)].map(([page]) => page);
    const linked = file.endsWith('.md') ? linksOf(file, text) : [];
    return [...mentioned, ...linked]
      .filter((page) => !pageExists(page))
      .map((page) => ({ file, line: index + 1, text: page }));
  });
}

function linksOf(file: string, text: string): readonly string[] {
  return [...text.replaceAll(/`[^`]*`/g, '').matchAll(LINK)]
    .filter(([, path]) => path === undefined || !/^[a-z]+:/.test(path))
    .map(([, path, anchor = '']) => (path === undefined ? file : normalize(join(dirname(file), path))) + anchor)
    .filter((page) => page.includes('.md'));
}

function pageExists(page: string): boolean {
  const [path = '', anchor] = page.split('#', 2);
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || anchorsOf(path).has(anchor);
}

const anchors = new Map<string, ReadonlySet<string>>();

/** The anchors that a page's headings get where Markdown is shown: lower case, dashes for spaces, no punctuation. */
function anchorsOf(path: string): ReadonlySet<string> {
  const known = anchors.get(path);
  if (known !== undefined) return known;
  const headings = linesOf(path).flatMap((line) => /^#{1,6} (.+)$/.exec(line)?.[1] ?? []);
  const found = new Set(headings.map(anchorOf));
  anchors.set(path, found);
  return found;
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const linesOf = (file: string): readonly string[] => readFileSync(join(ROOT, file), 'utf8').split('\n');
