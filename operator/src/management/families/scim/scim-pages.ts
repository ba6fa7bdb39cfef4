/** Pages of lists of SCIM mappings and groups: they count from zero. */

const DEFAULT_SIZE = 100;
const MAX_SIZE = 1_000;

interface PageQuery {
  readonly page?: number | undefined;
  readonly page_size?: number | undefined;
}

export function scimWindowOf({ page = 0, page_size = DEFAULT_SIZE }: PageQuery): { limit: number; offset: number } {
  const limit = Math.min(MAX_SIZE, page_size);
  return { limit, offset: page * limit };
}

export function scimPageOf<T>(items: readonly T[], query: PageQuery): readonly T[] {
  const { limit, offset } = scimWindowOf(query);
  return items.slice(offset, offset + limit);
}
