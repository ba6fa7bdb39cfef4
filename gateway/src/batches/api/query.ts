/** The parameters of lists. */
import type { ResolvedRequest } from '../../pipeline/index.ts';
import type { PageRequest } from '../job-store.ts';
import { invalid } from './answers.ts';

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;

/** Throws PARAMETER_INVALID, also for a parameter that the list does not have. */
export function pageOf(
  { exchange: { request } }: ResolvedRequest,
  known: readonly string[],
): PageRequest & { readonly purpose?: string | undefined } {
  const query = new URLSearchParams(request.query);
  for (const name of query.keys()) {
    if (!known.includes(name)) throw invalid(name, `is no parameter of this list; it has ${known.join(', ')}`);
  }
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalid('limit', `must be a number from 1 to ${MAX_LIMIT}`);
  }
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalid('order', 'must be asc or desc');
  return { limit, order, after: query.get('after') ?? undefined, purpose: query.get('purpose') ?? undefined };
}
