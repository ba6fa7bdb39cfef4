/** Pages of lists: numbers count from zero, both spellings are accepted, and sizes beyond the maximum are cut. */

export interface PageQuery {
  readonly current_page?: number | undefined;
  readonly page_size?: number | undefined;
  readonly currentPage?: number | undefined;
  readonly pageSize?: number | undefined;
}

export interface Page<T> {
  readonly object: 'list';
  readonly total: number;
  readonly data: T[];
}

export const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;

/** The page of a list; only its items are rendered. */
export function pageOf<T, R>(
  items: readonly T[],
  { current_page, currentPage, page_size, pageSize }: PageQuery,
  render: (item: T) => R,
): Page<R> {
  const size = Math.min(MAX_PAGE_SIZE, page_size ?? pageSize ?? DEFAULT_PAGE_SIZE);
  const start = (current_page ?? currentPage ?? 0) * size;
  return { object: 'list', total: items.length, data: items.slice(start, start + size).map(render) };
}
