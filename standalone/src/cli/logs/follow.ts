/** New rows of the request log, each once, whenever they were written. */
import type { RestQuery } from '../../rest-client/index.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface RowPage {
  /** The newest first. */
  readonly rows: readonly Row[];
  /** Of all pages; undefined: it is not said. */
  readonly total: number | undefined;
}

export interface FollowPorts {
  readonly filters: RestQuery;
  /** Rejects as the client does. */
  page(query: RestQuery): Promise<RowPage>;
  /** Rows that come later than others by so many ms may be left out from now on: there are too many to know them all. */
  onCut(ms: number): void;
  /** Unix time in ms. */
  now(): number;
}

/** Of one answer. */
export const PAGE_ROWS = 1_000;
/** Rows are written when requests end: so long after their time they may still come. */
const LATE_MS = 10 * 60_000;
/** Rows that are known to have been shown. */
const MAX_KNOWN = 200_000;
/** Left of them when they are too many. */
const KEPT_KNOWN = 150_000;
/** New rows that are held at a time. */
const MAX_FRESH = 10_000;
const MAX_PAGES: number = MAX_KNOWN / PAGE_ROWS;
/** Pages that are known at the start: what is there is not shown. */
const FIRST_PAGES = 20;
/** Rows far behind the newest ones are looked for each so many times, where the number of all says that there are some. */
const SWEEP_EVERY = 15;

export interface NextRows {
  /** The oldest first. */
  readonly rows: readonly Row[];
  /** There are more, which the next call has. */
  readonly isBehind: boolean;
}

export class Follower {
  readonly #ports: FollowPorts;
  /** Times by id, in Unix time in ms, of rows in the time that is asked for. */
  readonly #known = new Map<string, number>();
  #floorMs: number;
  #rounds = 0;

  constructor(ports: FollowPorts) {
    this.#ports = ports;
    const { time_of_generation_min: since } = ports.filters;
    this.#floorMs = since === undefined ? 0 : Date.parse(since);
  }

  /** Takes what is there for known. Rejects as the port does. */
  async begin(): Promise<void> {
    let pages = 0;
    for await (const { rows } of this.#pages()) {
      for (const row of rows) this.#known.set(idOf(row), timeOf(row));
      pages += 1;
      const last = rows.at(-1);
      if (pages < FIRST_PAGES || last === undefined || rows.length < PAGE_ROWS) continue;
      this.#raiseFloor(timeOf(last) + 1);
      return;
    }
  }

  /** New rows. Rejects as the port does; nothing is lost then. */
  async next(): Promise<NextRows> {
    this.#rounds += 1;
    const isSweep = this.#rounds % SWEEP_EVERY === 0;
    const fresh = new FreshRows(this.#known);
    let total: number | undefined;
    let pages = 0;
    for await (const page of this.#pages()) {
      total ??= page.total;
      pages += 1;
      const hasNew = fresh.add(page.rows);
      if (this.#known.size + fresh.found >= (total ?? Number.POSITIVE_INFINITY)) break;
      if (!hasNew && !isSweep) break;
      if (pages === MAX_PAGES) {
        this.#raiseFloor(timeOf(page.rows.at(-1) ?? {}) || this.#floorMs);
        break;
      }
    }
    const rows = fresh.rows();
    for (const row of rows) this.#known.set(idOf(row), timeOf(row));
    if (this.#known.size > MAX_KNOWN) this.#raiseFloor(oldestKept(this.#known));
    return { rows, isBehind: fresh.found > rows.length };
  }

  /** Of the time in which rows may be new. Pages do not move while they are read: rows that come meanwhile are behind their end. */
  async *#pages(): AsyncGenerator<RowPage> {
    const { filters, page } = this.#ports;
    const from = new Date(this.#windowStart()).toISOString();
    let end = filters['time_of_generation_max'];
    for (let at = 0; ; at += 1) {
      const found = await page({
        ...{ ...filters, time_of_generation_min: from, time_of_generation_max: end },
        ...{ page_size: String(PAGE_ROWS), current_page: String(at) },
      });
      yield found;
      const [newest] = found.rows;
      if (newest === undefined || found.rows.length < PAGE_ROWS) return;
      if (at === 0) end = new Date(timeOf(newest)).toISOString();
    }
  }

  #windowStart(): number {
    const fromMs = Math.max(this.#ports.now() - LATE_MS, this.#floorMs);
    this.#forgetBefore(fromMs);
    return fromMs;
  }

  #raiseFloor(ms: number): void {
    this.#floorMs = ms;
    this.#forgetBefore(ms);
    this.#ports.onCut(this.#ports.now() - ms);
  }

  #forgetBefore(ms: number): void {
    for (const [id, at] of this.#known) if (at < ms) this.#known.delete(id);
  }
}

/** What one round has found: the oldest of it are held. */
class FreshRows {
  readonly #known: ReadonlyMap<string, number>;
  readonly #ids = new Set<string>();
  #held: Row[] = [];

  constructor(known: ReadonlyMap<string, number>) {
    this.#known = known;
  }

  get found(): number {
    return this.#ids.size;
  }

  /** Takes a page and says whether it has something new. */
  add(rows: readonly Row[]): boolean {
    const before = this.#ids.size;
    for (const row of rows) {
      const id = idOf(row);
      if (this.#known.has(id) || this.#ids.has(id)) continue;
      this.#ids.add(id);
      this.#held.push(row);
    }
    if (this.#held.length > MAX_FRESH) this.#held = this.#held.slice(-MAX_FRESH);
    return this.#ids.size > before;
  }

  /** The oldest first. */
  rows(): readonly Row[] {
    return this.#held.toReversed();
  }
}

/** Of the rows that are to stay known. */
function oldestKept(known: ReadonlyMap<string, number>): number {
  const times = Float64Array.from(known.values()).sort();
  return times[times.length - KEPT_KNOWN] ?? 0;
}

const idOf = (row: Row): string => String(row['id']);
const timeOf = (row: Row): number => Date.parse(String(row['created_at']));
