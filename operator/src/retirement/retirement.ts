import {
  type Clock,
  createNamedWatches,
  type KubeClient,
  keyOf,
  LEASES,
  type Lease,
  type Log,
  systemClock,
} from '../runtime/index.ts';
import { RETIRED_UNTIL, retiredUntilMs } from './mark.ts';

export interface RetirementOptions {
  readonly client: Pick<KubeClient, 'get' | 'watch'>;
  /** The namespace of the lease by which replicas elect their leader. */
  readonly namespace: string;
  readonly leaseName: string;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Whether sidecars are retired, on every replica. */
export interface Retirement {
  readonly isOn: boolean;
  /** Called when that changes. */
  subscribe(listener: () => void): Disposable;
  /** Watches the lease until the signal ends. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when it is known; rejects with the reason of the signal. */
  settled(signal: AbortSignal): Promise<void>;
}

/** Timers last at most 25 days: a longer retirement is checked again in between. */
const MOST_MS = 3_600_000;

export function createRetirement(options: RetirementOptions): Retirement {
  const { client, namespace, leaseName, log, clock = systemClock } = options;
  const watches = createNamedWatches<Lease>({ client, kind: LEASES, log, transform: withoutSpec });
  const key = keyOf({ namespace, name: leaseName });
  const listeners = new Set<() => void>();
  let isOn = false;
  let untilMs = 0;
  let end: Disposable | undefined;

  const look = (): void => {
    end?.[Symbol.dispose]();
    const lease = watches.store.get(key);
    // Without a lease it stays: an uninstallation takes it away, and the right to read it, before the last replica has ended.
    if (lease !== undefined) untilMs = retiredUntilMs(lease) ?? 0;
    const leftMs = untilMs - clock.wallMs();
    end = leftMs > 0 ? clock.schedule(Math.min(leftMs, MOST_MS), look) : undefined;
    if (leftMs > 0 === isOn) return;
    isOn = leftMs > 0;
    log.warn({ annotation: RETIRED_UNTIL, lease: key, isOn }, 'Sidecars are retired or no longer so');
    for (const listener of listeners) listener();
  };
  watches.store.subscribe(look);
  watches.want({ id: key, share: namespace }, new Set([key]));
  return {
    get isOn() {
      return isOn;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    run: async (signal) => {
      await watches.run(signal);
      end?.[Symbol.dispose]();
    },
    settled: watches.settled,
  };
}

/** Renewals of the lease do not matter here. */
const withoutSpec = ({ spec: _, ...rest }: Lease): Lease => rest;
