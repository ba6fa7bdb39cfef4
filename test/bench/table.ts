/** The one table that a run prints. */

export interface Verdict {
  /** The goal, as in docs/performance.md. */
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

/** One peer in one measurement; what was not measured stays empty. */
export interface Row {
  readonly what: string;
  readonly peer: string;
  readonly requestsPerSecond?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly rssMb?: number;
  /** CPU time of the peer for one request or event, in µs. */
  readonly cpuUs?: number;
  readonly verdicts?: readonly Verdict[];
  /** What the reader must know, e.g. why a peer is missing. */
  readonly note?: string;
}

const HEADINGS = ['what', 'peer', 'requests/s', 'p50 ms', 'p99 ms', 'RSS MB', 'CPU µs', 'measured', 'target', 'met'];
/** Columns of numbers are set flush right. */
const NUMBERS: ReadonlySet<number> = new Set([2, 3, 4, 5, 6]);

/** A Markdown table that is as readable on a terminal. Further verdicts of a row are on lines of their own below it. */
export const renderTable = (rows: readonly Row[]): string => renderCells(HEADINGS, rows.flatMap(linesOf), NUMBERS);

/** A Markdown table of cells; `numbers`: columns that are set flush right. */
export function renderCells(
  headings: readonly string[],
  lines: readonly (readonly string[])[],
  numbers: ReadonlySet<number>,
): string {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...lines.map((line) => line[at]?.length ?? 0)));
  const pad = (text: string, at: number): string =>
    numbers.has(at) ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
  const toLine = (cells: readonly string[]): string => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, at) => (numbers.has(at) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [toLine(headings), toLine(rule), ...lines.map(toLine)].join('\n');
}

function linesOf(row: Row): string[][] {
  const [first, ...others] = row.verdicts ?? [];
  const numbers = [row.requestsPerSecond, row.p50Ms, row.p99Ms, row.rssMb, row.cpuUs].map(formatNumber);
  const end = first === undefined ? [row.note ?? '', '', ''] : verdictCells(first);
  const below = others.map((verdict) => ['', '', '', '', '', '', '', ...verdictCells(verdict)]);
  return [[row.what, row.peer, ...numbers, ...end], ...below];
}

const verdictCells = ({ measured, target, met }: Verdict): string[] => [measured, target, met ? 'yes' : 'NO'];

/** Three significant digits, thousands in groups; empty when there is no number. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined) return '';
  return value.toLocaleString('en-US', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
}
