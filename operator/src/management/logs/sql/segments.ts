/** From which tables the sums of a time come: roll-ups of whole hours and minutes, and rows at the edges, so that sums are exact. */

export type SegmentTable = 'rows' | 'minutes' | 'hours';

/** Unix time in ms; the end is not included. */
export interface Segment {
  readonly table: SegmentTable;
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const up = (ms: number, width: number): number => Math.ceil(ms / width) * width;
const down = (ms: number, width: number): number => Math.floor(ms / width) * width;

/** `tables` are those that may be used, the finest one first; rows always may. */
export function segmentsOf(from: number, to: number, tables: readonly Exclude<SegmentTable, 'rows'>[]): Segment[] {
  return [...tables.map((table) => [table, WIDTHS[table]] as const)]
    .reduce<readonly Segment[]>(refine, [{ table: 'rows', from, to }])
    .filter((segment) => segment.from < segment.to);
}

const WIDTHS = { minutes: MINUTE_MS, hours: HOUR_MS } as const;

/** The middle of the coarsest segment becomes one of the next table. */
function refine(segments: readonly Segment[], [table, width]: readonly [SegmentTable, number]): readonly Segment[] {
  const at = segments.length >> 1; // segments stand around the coarsest
  const coarsest = segments[at];
  if (coarsest === undefined) return segments;
  const [from, to] = [up(coarsest.from, width), down(coarsest.to, width)];
  if (from >= to) return segments;
  return [
    ...segments.slice(0, at),
    { ...coarsest, to: from },
    { table, from, to },
    { ...coarsest, from: to },
    ...segments.slice(at + 1),
  ];
}
