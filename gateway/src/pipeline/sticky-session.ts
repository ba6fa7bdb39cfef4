/** Sticky sessions of load balancers; docs/behaviour/routing.md. */
import { type StickyPlan, stickyKey } from '../routing/index.ts';
import type { StickySessions } from '../store/index.ts';
import type { Caller, Exchange } from './exchange.ts';
import type { Resolution } from './resolve/index.ts';

interface StickyInput {
  readonly sticky: StickyPlan;
  readonly branch: string;
  readonly input: { readonly exchange: Exchange; readonly caller: Caller; readonly resolution: Resolution };
}

/** The index of the target that the session keeps. */
export function stickyChoice(
  sessions: StickySessions,
  { sticky, branch, input }: StickyInput,
  draw: (stored: number | undefined) => number,
): Promise<number> {
  const { caller, resolution, exchange } = input;
  const key = stickyKey(sticky, branch, {
    keyHash: caller.keyHash,
    metadata: resolution.metadata,
    params: resolution.params,
    header: (name) => exchange.request.header(name),
  });
  return sessions.choose(key, sticky.ttlSeconds, draw);
}
