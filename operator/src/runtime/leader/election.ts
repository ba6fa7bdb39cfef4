import { type Lease, toMicroTime } from '../client/index.ts';

/** Times of a Lease, in ms. */
export interface LeaseTiming {
  /** How long other candidates wait after the last renewal. */
  readonly durationMs: number;
  /** How long the holder continues without a renewal. Shorter than the duration, so that two never lead. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

/**
 * Timing for a duration. A holder that is cut off stops after 0.7 of it, which leaves 0.3 to end its work before another one
 * may lead. Candidates check every 0.2, at most a fifth later: a killed leader is replaced within 1.5 durations.
 */
export const leaseTiming = (durationMs: number): LeaseTiming => ({
  durationMs,
  renewDeadlineMs: 0.7 * durationMs,
  retryMs: 0.2 * durationMs,
});

/** A killed leader is replaced within 7.5 s. */
export const LEASE_TIMING: LeaseTiming = leaseTiming(5_000);

/** The content of the lease when it last changed, and when that was by the own clock. */
export interface Observation {
  readonly content: string;
  readonly seenMs: number;
}

/** Records a lease; its times are of another machine's clock and only compared for equality. */
export function observe(before: Observation | undefined, lease: Lease, nowMs: number): Observation {
  const content = JSON.stringify(lease.spec ?? {});
  return before?.content === content ? before : { content, seenMs: nowMs };
}

/**
 * Whether the lease can be acquired: it has no holder, or this process, or one that has not renewed it for the whole duration.
 */
export function isAvailable(lease: Lease, identity: string, observation: Observation, nowMs: number): boolean {
  const { holderIdentity, leaseDurationSeconds = 0 } = lease.spec ?? {};
  if (!holderIdentity || holderIdentity === identity) return true;
  return nowMs - observation.seenMs > leaseDurationSeconds * 1_000;
}

/** The lease as it is written when it is acquired or renewed. */
export function claimLease(lease: Lease, identity: string, { durationMs }: LeaseTiming, wallMs: number): Lease {
  const now = toMicroTime(wallMs);
  const { holderIdentity, acquireTime, leaseTransitions = 0 } = lease.spec ?? {};
  const times =
    holderIdentity === identity
      ? { acquireTime: acquireTime ?? now, leaseTransitions }
      : { acquireTime: now, leaseTransitions: acquireTime === undefined ? 0 : leaseTransitions + 1 };
  return {
    ...lease,
    spec: { holderIdentity: identity, leaseDurationSeconds: durationMs / 1_000, renewTime: now, ...times },
  };
}

/** The lease as it is released: the next candidate need not wait. */
export function releaseLease(lease: Lease, wallMs: number): Lease {
  const { acquireTime, leaseTransitions } = lease.spec ?? {};
  return { ...lease, spec: { leaseDurationSeconds: 1, renewTime: toMicroTime(wallMs), acquireTime, leaseTransitions } };
}
