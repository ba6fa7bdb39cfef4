/** What a process has read, for its start message. */
import type { EntryKind } from '@gatehouse/crds/snapshot';
import { countProblems, type FolderState, problemLines } from '../resource-folder/index.ts';

const SHOWN: readonly (readonly [kind: EntryKind, word: string])[] = [
  ['workspace', 'workspace'],
  ['key', 'key'],
  ['provider', 'provider'],
  ['config', 'config'],
  ['guardrail', 'guardrail'],
];
const MAX_PROBLEM_LINES = 10;

/** `1 workspace, 2 keys, 3 providers, 0 configs, 1 guardrail`: what is served. */
export function describeLoaded({ snapshot }: Pick<FolderState, 'snapshot'>): string {
  const counts = new Map<EntryKind, number>();
  for (const { kind } of snapshot.entries) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return SHOWN.map(([kind, word]) => {
    const count = counts.get(kind) ?? 0;
    return `${count} ${word}${count === 1 ? '' : 's'}`;
  }).join(', ');
}

/** The problems with file and line, as many as a start message has room for; `command` shows all. */
export function describeProblems({ problems }: Pick<FolderState, 'problems'>, command: string): readonly string[] {
  if (problems.length === 0) return [];
  const lines = problemLines(problems);
  const more = lines.length - MAX_PROBLEM_LINES;
  return [
    `${countProblems(problems)}:`,
    ...lines.slice(0, MAX_PROBLEM_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more lines: ${command}`] : []),
  ];
}
