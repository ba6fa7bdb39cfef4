import type { Options } from './options.ts';

export interface Event {
  readonly kind: 'change' | 'rollout';
  /** Since the start. */
  readonly atMs: number;
}

/**
 * What happens when: changes over the whole time, rollouts in its first half, so that the gateways whose memory is looked at
 * in the second half are the same from its beginning to its end.
 */
export function planOf({ minutes, changes, rollouts }: Options): readonly Event[] {
  const totalMs = minutes * 60_000;
  const spread = (kind: Event['kind'], count: number, withinMs: number): Event[] =>
    Array.from({ length: count }, (_, at) => ({ kind, atMs: Math.round(((at + 0.5) / count) * withinMs) }));
  // The last rollout needs time to end before the second half.
  const events = [...spread('change', changes, totalMs), ...spread('rollout', rollouts, totalMs * 0.48)];
  return events.toSorted((a, b) => a.atMs - b.atMs);
}
