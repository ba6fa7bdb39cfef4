import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '@gatehouse/crds';
import type { RestClient, RestQuery } from '../../rest-client/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Invocation } from '../command.ts';
import { CommandError, type Shell } from '../shell.ts';
import { filtersOf, limitOf } from './filters.ts';

const USUAL_ROWS = 20;
/** Of one answer. */
const MAX_ROWS = 1_000;
const POLL_MS = 2_000;
/** Rows are written when requests end: so long after their time they may still come. */
const LATE_MS = 10 * 60_000;
/** Rows that are known to have been shown. */
const MAX_SHOWN = 100_000;

type Row = Readonly<Record<string, unknown>>;

/** The newest rows, the last one at the end; with `--follow` until the process ends. */
export async function tail(invocation: Invocation, client: RestClient): Promise<number> {
  const { shell, options } = invocation;
  const filters = filtersOf(invocation, Date.now());
  const limit = limitOf(invocation, USUAL_ROWS, MAX_ROWS);
  const follows = options['follow'] === 'true';
  const there = follows ? await recentRows(client, filters) : [];
  const first = await rowsOf(client, filters, limit);
  const print = printerOf(options['output'], shell);
  for (const row of first.toReversed()) print(row);
  if (!follows) return 0;
  const stop = new AbortController();
  const forget = shell.onStop(() => stop.abort());
  const shown = new Set([...there, ...first].map(idOf));
  try {
    while (!stop.signal.aborted) {
      await delay(POLL_MS, undefined, { signal: stop.signal }).catch(() => {}); // the signal ends the loop
      if (!stop.signal.aborted) await showNew({ client, filters, shown, print, shell });
    }
  } finally {
    forget();
  }
  return 0;
}

interface Follow {
  readonly client: RestClient;
  readonly filters: RestQuery;
  readonly shown: Set<string>;
  readonly print: (row: Row) => void;
  readonly shell: Shell;
}

/** The newest of those that may be new. */
function recentRows(client: RestClient, filters: RestQuery): Promise<readonly Row[]> {
  const lateMs = Date.now() - LATE_MS;
  const since = filters['time_of_generation_min'];
  const fromMs = since === undefined ? lateMs : Math.max(lateMs, Date.parse(since));
  return rowsOf(client, { ...filters, time_of_generation_min: new Date(fromMs).toISOString() }, MAX_ROWS);
}

async function showNew({ client, filters, shown, print, shell }: Follow): Promise<void> {
  const rows = await recentRows(client, filters);
  const fresh = rows.filter((row) => !shown.has(idOf(row)));
  if (fresh.length === MAX_ROWS) shell.err('Older rows were left out: there are too many');
  for (const row of fresh.toReversed()) {
    print(row);
    shown.add(idOf(row));
  }
  for (const id of shown) {
    if (shown.size <= MAX_SHOWN) break;
    shown.delete(id);
  }
}

async function rowsOf(client: RestClient, filters: RestQuery, limit: number): Promise<readonly Row[]> {
  const { data } = await client.call('GET', '/logs', { query: { ...filters, page_size: String(limit) } });
  if (Array.isArray(data)) return data.filter(isObject);
  throw new CommandError('the answer has no rows');
}

const idOf = (row: Row): string => String(row['id']);

const COLUMNS: readonly (readonly [name: string, width: number, of: (row: Row) => unknown])[] = [
  ['TIME', 24, (row) => row['created_at']],
  ['STATUS', 6, (row) => row['response_status_code']],
  ['PROVIDER', 14, (row) => row['ai_org']],
  ['MODEL', 28, (row) => row['ai_model']],
  ['TOKENS', 7, (row) => row['total_units']],
  ['CENTS', 9, (row) => Number(row['cost']).toFixed(4)],
  ['MS', 7, (row) => Math.round(Number(row['response_time']))],
  ['TRACE', 0, (row) => row['trace_id']],
];

/** A line for each row, so that they can be followed: columns have fixed widths, and what is longer moves the others. */
function printerOf(format: string | undefined, shell: Shell): (row: Row) => void {
  const line = (cells: readonly string[]): string =>
    cells.map((cell, at) => cell.padEnd(COLUMNS[at]?.[1] ?? 0)).join('  ');
  if (format === 'json') return (row) => shell.out(JSON.stringify(row));
  shell.out(line(COLUMNS.map(([name]) => name)));
  return (row) => shell.out(toPrintable(line(COLUMNS.map(([, , of]) => String(of(row) ?? '-')))));
}
