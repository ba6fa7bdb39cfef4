import { json, type Reply } from '../reply.ts';

const DEFAULT_PAGE = 20;
const MAX_PAGE = 1_000; // bound of `limit` in the API

/** One page of a list in its order: `limit` entries `after_id` or `before_id`; lists of files have the cursor `page` instead. */
export function listPage(items: readonly { readonly id: string }[], query: URLSearchParams): Reply {
  const limit = Math.min(Number(query.get('limit') ?? DEFAULT_PAGE) || DEFAULT_PAGE, MAX_PAGE);
  const before = items.findIndex(({ id }) => id === query.get('before_id'));
  const start = items.findIndex(({ id }) => id === (query.get('page') ?? query.get('after_id'))) + 1;
  const from = before < 0 ? start : Math.max(0, before - limit);
  const to = before < 0 ? start + limit : before;
  const data = items.slice(from, to);
  const last = data.at(-1)?.id ?? null;
  const hasMore = before < 0 ? to < items.length : from > 0;
  return json({
    data,
    has_more: hasMore,
    first_id: data[0]?.id ?? null,
    last_id: last,
    next_page: hasMore ? last : null,
  });
}
