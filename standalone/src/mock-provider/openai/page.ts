import { json, type Reply } from '../reply.ts';

export interface Identified {
  readonly id: string;
}

interface PageBounds {
  readonly usual: number;
  readonly most: number;
}

const BOUNDS: PageBounds = { usual: 20, most: 100 };

/** One page of what was made, given oldest first: the newest first unless `order=asc`, `limit` of them `after` an id. */
export function listPage(items: readonly Identified[], query: URLSearchParams, bounds: PageBounds = BOUNDS): Reply {
  const ordered = query.get('order') === 'asc' ? items : items.toReversed();
  const start = ordered.findIndex(({ id }) => id === query.get('after')) + 1;
  const limit = Math.min(Number(query.get('limit') ?? bounds.usual) || bounds.usual, bounds.most);
  const data = ordered.slice(start, start + limit);
  return json({
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < ordered.length,
  });
}
