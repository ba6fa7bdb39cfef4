/** Rate limits of the target's account, after the cache: what the cache answers costs nothing. docs/behaviour/limits.md */
import { AppError } from '../../errors/index.ts';
import type { Denial, Reservation } from '../../limits/index.ts';
import { requestDemands } from '../admit.ts';
import type { AttemptPorts } from './ports.ts';
import type { Prepared } from './prepare/index.ts';

/** Takes one request of each limit, for all tries. Throws TARGET_RATE_LIMITED, which a fallback can move past. */
export function limit(
  { limiter, now }: Pick<AttemptPorts, 'limiter' | 'now'>,
  { resolved: { managed } }: { readonly resolved: Pick<Prepared['resolved'], 'managed'> },
): void | Promise<void> {
  if (managed?.rateLimits === undefined || managed.rateLimits.length === 0) return;
  const { slug, provider } = managed;
  const refuse = (result: Reservation | Denial): void => refuseDenied({ slug, provider: provider.id }, result);
  const result = limiter.reserve(requestDemands(managed), now());
  return result instanceof Promise ? result.then(refuse) : refuse(result);
}

function refuseDenied({ slug, provider }: { slug: string; provider: string }, result: Reservation | Denial): void {
  if (result.allowed) return;
  const { limit: max, unit, window } = result.demand;
  throw new AppError('TARGET_RATE_LIMITED', {
    provider,
    detail: `@${slug} exceeded its limit of ${max} ${unit} (${window})`,
    retryAfterMs: result.retryAfterMs,
  });
}
