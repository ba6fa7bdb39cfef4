import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '@gatehouse/crds';
import { type RestClient, RestFailure, type RestQuery } from '../../rest-client/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Invocation } from '../command.ts';
import { CommandError, type Shell } from '../shell.ts';
import { filtersOf, limitOf } from './filters.ts';
import { Follower, PAGE_ROWS, type Row, type RowPage } from './follow.ts';

const USUAL_ROWS = 20;
const POLL_MS = 2_000;

/** The newest rows, the last one at the end; with `--follow` until the process ends. */
export async function tail(invocation: Invocation, client: RestClient): Promise<number> {
  const { shell, options } = invocation;
  const filters = filtersOf(invocation, Date.now());
  const limit = limitOf(invocation, USUAL_ROWS, PAGE_ROWS);
  const follower = options['follow'] === 'true' ? followerOf({ client, filters, shell }) : undefined;
  await follower?.begin();
  const { rows } = await pageOf(client, { ...filters, page_size: String(limit) });
  const print = printerOf(options['output'], shell);
  const first = rows.toReversed();
  for (const row of first) print(row);
  if (follower === undefined) return 0;
  const stop = new AbortController();
  const forget = shell.onStop(() => stop.abort());
  try {
    await follow(follower, { print, shell, signal: stop.signal, shown: new Set(first.map(({ id }) => id)) });
  } finally {
    forget();
  }
  return 0;
}

interface Following {
  readonly print: (row: Row) => void;
  readonly shell: Pick<Shell, 'err'>;
  readonly signal: AbortSignal;
  /** Ids of rows that were shown before, of which some may have come after the start. */
  readonly shown: ReadonlySet<unknown>;
}

async function follow(follower: Follower, { print, shell, signal, shown }: Following): Promise<void> {
  let isAway = false;
  for (let isBehind = false; !signal.aborted; ) {
    if (!isBehind) await delay(POLL_MS, undefined, { signal }).catch(() => {}); // the signal ends the loop
    if (signal.aborted) return;
    const next = await follower.next().catch((error: unknown) => {
      if (!mayPass(error)) throw error;
      if (!isAway) shell.err(toPrintable(`${error.message}; it is asked again until it answers`));
      return undefined;
    });
    isAway = next === undefined;
    for (const row of next?.rows ?? []) if (!shown.has(row['id'])) print(row);
    isBehind = next?.isBehind ?? false;
  }
}

const SERVER_ERROR = 500;

/** No answer, or one of a server that is being replaced or cannot reach the log. */
const mayPass = (error: unknown): error is RestFailure =>
  error instanceof RestFailure && (error.status ?? SERVER_ERROR) >= SERVER_ERROR;

interface FollowerParts {
  readonly client: RestClient;
  readonly filters: RestQuery;
  readonly shell: Shell;
}

const MS = 1_000;

function followerOf({ client, filters, shell }: FollowerParts): Follower {
  let isSaid = false;
  return new Follower({
    filters,
    page: (query) => pageOf(client, query),
    onCut: (ms) => {
      if (!isSaid)
        shell.err(
          `There are many rows: those of requests that take longer than ${Math.floor(ms / MS)} s may be left out`,
        );
      isSaid = true;
    },
    now: Date.now,
  });
}

async function pageOf(client: RestClient, query: RestQuery): Promise<RowPage> {
  const { data, total } = await client.call('GET', '/logs', { query });
  if (!Array.isArray(data)) throw new CommandError('the answer has no rows');
  return { rows: data.filter(isObject), total: typeof total === 'number' ? total : undefined };
}

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
