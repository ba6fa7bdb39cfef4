/** What each step costs now and cost in an earlier table; both are tables of index.ts. */

export interface Growth {
  readonly step: string;
  readonly column: Column;
  /** What the step adds to the one before it, as a share of the bare proxy's whole cost in the same run. */
  readonly before: number;
  readonly now: number;
}

const COLUMNS = ['µs/request', 'µs/event'] as const;
type Column = (typeof COLUMNS)[number];

/** A step may cost so many times what it did. */
const MOST = 1.1;
/** Shares of the bare proxy's cost that are lost in the noise. */
const NOISE = 0.03;

/** The steps that add more than a tenth more than before. Machines differ, so costs are compared as shares of the bare proxy's. */
export function grownSteps(now: string, before: string): readonly Growth[] {
  return COLUMNS.flatMap((column) => {
    const earlier = addedBy(before, column);
    return [...addedBy(now, column)].flatMap(([step, share]) => {
      const was = earlier.get(step);
      const isMore = was !== undefined && share > was * MOST && share - was > NOISE;
      return isMore ? [{ step, column, before: was, now: share }] : [];
    });
  });
}

/** The lines below the ladder's table. */
export function describeGrowth(now: string, before: string): string {
  if (addedBy(before, 'µs/request').size === 0) return 'There is no earlier table to compare with.';
  const grown = grownSteps(now, before);
  if (grown.length === 0) return 'No step adds more than a tenth more than in the earlier table.';
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  return [
    'Steps that add more than a tenth more than in the earlier table (shares of the bare proxy):',
    ...grown.map(
      ({ step, column, before, now }) => `* ${step}, ${column}: ${percent(before)} before, ${percent(now)} now`,
    ),
  ].join('\n');
}

/** What each step adds to the one before it. */
function addedBy(table: string, column: Column): ReadonlyMap<string, number> {
  const [headings = [], , ...rows] = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cellsOf);
  const at = headings.indexOf(column);
  const costs = rows.map((cells) => ({ step: cells[0] ?? '', cost: Number((cells[at] ?? '').replaceAll(',', '')) }));
  const [bare] = costs;
  const steps = costs.slice(1).map(({ step, cost }, index) => {
    const below = costs[index]?.cost ?? Number.NaN;
    return [step, (cost - below) / (bare?.cost ?? Number.NaN)] as const;
  });
  return new Map(steps.filter(([, share]) => !Number.isNaN(share)));
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
