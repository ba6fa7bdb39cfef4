/** What a test has found, for people and for programs. */
import { toPrintable } from '../terminal/index.ts';
import type { CaseOutcome } from './run-cases.ts';

const HEAD = ['', 'CASE', 'PHASE', 'EXPECTED', 'VERDICT', 'CHECKS', 'TEXT'];
/** Longest cells. */
const MAX_CHECKS = 60;
const MAX_TEXT = 48;

/** A line per case; those that differ begin with an exclamation mark, and what they should have left of the text is below. */
export function tableOf(outcomes: readonly CaseOutcome[]): readonly string[] {
  const rows = [HEAD, ...outcomes.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lineOf = (cells: readonly string[] = []): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [lineOf(HEAD), ...outcomes.flatMap((outcome, i) => [lineOf(rows[i + 1]), ...textLines(outcome)])];
}

function cellsOf({ number, name, phase, expected, verdict, denied, differs, checks, text }: CaseOutcome): string[] {
  const found = checks.flatMap(({ id, verdict, error }) => {
    if (error !== undefined) return [`${id}: ${error.name}`];
    return verdict ? [] : [id];
  });
  const shown = found.length === 0 ? '-' : found.join(', ');
  const stopped = denied ? `${verdict}, denied` : verdict;
  return [
    differs ? '!' : '',
    String(number),
    phase,
    expected ?? '-',
    stopped,
    cut(shown, MAX_CHECKS),
    cut(name ?? text, MAX_TEXT),
  ];
}

/** Texts as JSON: every difference can be seen. */
function textLines({ text, changedText = text, expectedText, differs }: CaseOutcome): readonly string[] {
  if (!differs || expectedText === undefined || expectedText === changedText) return [];
  return [`     expected text ${printed(expectedText)}`, `     but it is     ${printed(changedText)}`];
}

const printed = (text: string): string => toPrintable(JSON.stringify(text));

const cut = (text: string, most: number): string => {
  const line = toPrintable(text.replace(/\s+/g, ' '));
  return line.length > most ? `${line.slice(0, most - 3)}...` : line;
};

/** `12 cases, 2 differ`. */
export function summaryOf(outcomes: readonly CaseOutcome[]): string {
  const cases = `${outcomes.length} case${outcomes.length === 1 ? '' : 's'}`;
  const differing = outcomes.filter(({ differs }) => differs).length;
  if (differing > 0) return `${cases}, ${differing} differ${differing === 1 ? 's' : ''} from what is expected`;
  return outcomes.some(({ expected, expectedText }) => (expected ?? expectedText) !== undefined)
    ? `${cases}, all as expected`
    : `${cases}`;
}

/** Without the texts of the file, which may be private; what the guardrail has made of them is there. */
export const toJson = ({ text: _, expectedText: __, ...outcome }: CaseOutcome): object => outcome;
