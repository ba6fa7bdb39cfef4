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

/** Which items of a list are asked for. */
export function windowOf(
  { current_page, currentPage, page_size, pageSize }: PageQuery,
  maxSize = MAX_PAGE_SIZE,
): {
  limit: number;
  offset: number;
} {
  const limit = Math.min(maxSize, page_size ?? pageSize ?? DEFAULT_PAGE_SIZE);
  return { limit, offset: (current_page ?? currentPage ?? 0) * limit };
}

/** The page of the items that are wanted. The list is walked, not copied: it may have a hundred thousand items. */
export function pageOfWanted<T, R>(
  items: readonly T[],
  query: PageQuery,
  { isWanted, render }: { isWanted(item: T): boolean; render(item: T): R },
): Page<R> {
  const { limit, offset } = windowOf(query);
  const shown: T[] = [];
  let total = 0;
  for (const item of items) {
    if (!isWanted(item)) continue;
    if (total >= offset && shown.length < limit) shown.push(item);
    total += 1;
  }
  return { object: 'list', total, data: shown.map(render) };
}

/** The page of a list; only its items are rendered. */
export function pageOf<T, R>(items: readonly T[], query: PageQuery, render: (item: T) => R): Page<R> {
  const { limit, offset } = windowOf(query);
  return { object: 'list', total: items.length, data: items.slice(offset, offset + limit).map(render) };
}

/**
 * How many items there are of a list that grows while it is read: a page that is not full has the last of them, and only behind
 * others is `count` asked, whose moment is a later one.
 */
export async function totalBehind(
  shown: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  count: () => Promise<number>,
): Promise<number> {
  if (shown < limit && (shown > 0 || offset === 0)) return offset + shown;
  const total = await count();
  return shown === 0 && limit > 0 ? Math.min(total, offset) : Math.max(total, offset + shown);
}
