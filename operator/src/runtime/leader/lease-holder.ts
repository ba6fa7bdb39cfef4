import { apiVersionOf, hasReason, type KubeClient, LEASES, type Lease } from '../client/index.ts';
import type { Clock } from '../time/index.ts';
import { claimLease, isAvailable, type LeaseTiming, type Observation, observe, releaseLease } from './election.ts';

export interface LeaseHolderOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly timing: LeaseTiming;
  readonly clock: Clock;
}

/**
 * `taken`: another process holds it. `raced`: another process wrote at the same time, so that it has to be read again.
 */
export type Claim = 'held' | 'taken' | 'raced';

/**
 * One Lease object, read and written; rejects with ApiError. Each call is limited to half the renew deadline. A lease that was
 * never there is made. One that goes is not made again, which rejects, too: an uninstallation has taken it away.
 */
export interface LeaseHolder {
  /** Acquires or renews the lease. */
  claim(signal: AbortSignal): Promise<Claim>;
  /** Releases the lease, if it is still held by this process. */
  release(signal: AbortSignal): Promise<void>;
}

export function createLeaseHolder(options: LeaseHolderOptions): LeaseHolder {
  const { client, namespace, name, identity, timing, clock } = options;
  const timeoutMs = timing.renewDeadlineMs / 2;
  const blank: Lease = { apiVersion: apiVersionOf(LEASES), kind: LEASES.kind, metadata: { namespace, name } };
  let observation: Observation | undefined;
  /** As this process has written it; undefined when another one may have changed it since. */
  let ours: Lease | undefined;
  let wasThere = false;

  const read = async (signal: AbortSignal): Promise<Lease | undefined> => {
    try {
      const lease = await client.get(LEASES, { namespace, name }, { signal, timeoutMs });
      wasThere = true;
      return lease;
    } catch (error) {
      if (hasReason(error, 'NotFound') && !wasThere) return undefined;
      throw error;
    }
  };
  const write = async (lease: Lease, signal: AbortSignal): Promise<Claim> => {
    const verb = lease.metadata.resourceVersion === undefined ? client.create : client.update;
    try {
      ours = await verb(LEASES, lease, { signal, timeoutMs });
      wasThere = true;
      return 'held';
    } catch (error) {
      ours = undefined;
      if (hasReason(error, 'Conflict', 'AlreadyExists', 'NotFound')) return 'raced';
      throw error;
    }
  };

  return {
    claim: async (signal) => {
      if (ours !== undefined) {
        const renewed = await write(claimLease(ours, identity, timing, clock.wallMs()), signal);
        if (renewed === 'held') return renewed;
      }
      const lease = (await read(signal)) ?? blank;
      observation = observe(observation, lease, clock.monotonicMs());
      if (!isAvailable(lease, identity, observation, clock.monotonicMs())) return 'taken';
      return write(claimLease(lease, identity, timing, clock.wallMs()), signal);
    },
    release: async (signal) => {
      const lease = await read(signal);
      if (lease?.spec?.holderIdentity !== identity) return;
      await write(releaseLease(lease, clock.wallMs()), signal);
    },
  };
}
