/** Pages of sums. One statement answers for the rows and for their total: both are of one moment. */
import type { Page } from './reader.ts';

/** A row of a statement; numbers may come as texts. */
interface Placed {
  /** Of all pages. */
  readonly total: string | number;
  /** From 1; of later pages alone, whose statement has the first row of all as well, so that there is a total behind the last page. */
  readonly place?: string | number | undefined;
}

export interface PageOf<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

export function readPage<T extends Placed>(rows: readonly T[], page: Page | undefined): PageOf<T> {
  const offset = page?.offset ?? 0;
  return {
    rows: offset === 0 ? rows : rows.filter(({ place }) => Number(place) > offset),
    total: Number(rows[0]?.total ?? 0),
  };
}
