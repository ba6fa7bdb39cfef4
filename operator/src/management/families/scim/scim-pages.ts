/** Pages of lists of SCIM mappings and groups: `page` counts from zero, as `current_page` of all other lists does. */
import { type PageQuery, windowOf } from '../pages.ts';

type ScimPageQuery = PageQuery & { readonly page?: number | undefined };

export const scimWindowOf = ({ page, ...query }: ScimPageQuery): { limit: number; offset: number } =>
  windowOf(page === undefined ? query : { ...query, current_page: page });

export function scimPageOf<T>(items: readonly T[], query: ScimPageQuery): readonly T[] {
  const { limit, offset } = scimWindowOf(query);
  return items.slice(offset, offset + limit);
}
