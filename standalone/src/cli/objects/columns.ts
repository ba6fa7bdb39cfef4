/** The columns of `kubectl get` that the management API can fill. */
import { isObject } from '@gatehouse/crds';
import { KINDS } from '@gatehouse/crds/kinds';
import type { Family } from '../../rest-families/index.ts';
import type { Served } from '../../rest-objects/index.ts';
import { toPrintable } from '../../terminal/index.ts';

/** Longer values are cut. */
const MAX_CELL = 48;
const FROM_SPEC = /^\.spec\.([\w.]+)$/;
const NOTHING = '-';

interface Column {
  readonly head: string;
  cell(served: Served, nowMs: number): string;
}

/** Conditions are written by the operator, for the API server alone; the status here is that of the management API. */
function columnsOf({ kind }: Family): readonly Column[] {
  const own = KINDS[kind].columns.flatMap(({ name, jsonPath, wide }): Column[] => {
    const path = FROM_SPEC.exec(jsonPath)?.[1]?.split('.');
    if (path === undefined || wide === true) return [];
    return [{ head: name.toUpperCase(), cell: ({ spec }) => textOf(valueAt(spec, path)) }];
  });
  return [
    { head: 'NAME', cell: ({ name }) => name },
    { head: 'STATUS', cell: ({ view }) => textOf(view['status']) },
    ...own,
    { head: 'AGE', cell: ({ view }, nowMs) => ageOf(view['created_at'], nowMs) },
  ];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, step) => (isObject(node) ? node[step] : undefined), value);
}

const textOf = (value: unknown): string =>
  value === undefined || value === null ? NOTHING : typeof value === 'object' ? JSON.stringify(value) : String(value);

const UNITS = [
  { letter: 'd', seconds: 86_400 },
  { letter: 'h', seconds: 3_600 },
  { letter: 'm', seconds: 60 },
] as const;

/** The age in its largest unit, as `kubectl` shows it. */
function ageOf(createdAt: unknown, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(String(createdAt))) / 1_000);
  if (!Number.isFinite(seconds)) return NOTHING;
  const unit = UNITS.find((one) => seconds >= one.seconds);
  return unit === undefined ? `${Math.max(0, seconds)}s` : `${Math.floor(seconds / unit.seconds)}${unit.letter}`;
}

/** The lines of a table. */
export function tableOf(family: Family, objects: readonly Served[], nowMs: number): readonly string[] {
  const columns = columnsOf(family);
  const rows = objects.map((served) => columns.map(({ cell }) => toPrintable(cell(served, nowMs)).slice(0, MAX_CELL)));
  const lines = [columns.map(({ head }) => head), ...rows];
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}
