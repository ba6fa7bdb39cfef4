import { type BudgetStore, createMemoryBudgetStore, type SyncReply, type SyncRequest } from '../budgets/index.ts';
import { StoreUnavailable } from '../store/index.ts';
import type { Calls } from './calls.ts';
import { MAX_LEASE_MS, type WireSync } from './protocol.ts';

export interface FleetBudgetOptions {
  readonly calls: Pick<Calls, 'sync'>;
  /** Without a fleet this process counts alone. */
  hasFleet(): boolean;
}

/** Counters of budgets in the store of the fleet. Those that it does not have are counted in this process. */
export function createFleetBudgetStore({ calls, hasFleet }: FleetBudgetOptions): BudgetStore {
  const alone = createMemoryBudgetStore();
  return {
    sync: async (requests) => {
      if (!hasFleet()) return alone.sync(requests);
      try {
        const replies = await calls.sync(requests.map(toWire));
        const unknown = requests.filter((_, i) => replies[i]?.status === 'unknown');
        const here = unknown.length === 0 ? [] : await alone.sync(unknown);
        let at = 0;
        return replies.map((reply): SyncReply => {
          if (reply.status === 'failed') return { status: 'failed', isApplied: reply.isApplied ? undefined : false };
          if (reply.status !== 'unknown') return reply;
          at += 1;
          return here[at - 1] ?? FAILED;
        });
      } catch (error) {
        const isApplied = error instanceof StoreUnavailable && error.reason === 'busy' ? false : undefined;
        return requests.map(() => ({ status: 'failed', isApplied }));
      }
    },
    close: () => alone.close(),
  };
}

const FAILED: SyncReply = { status: 'failed', isApplied: undefined };

function toWire({ period, limit: _, slot: _slot, seed: _seed, leaseMs, ...request }: SyncRequest): WireSync {
  return { ...request, periodStartMs: period.startMs, leaseMs: Math.min(leaseMs, MAX_LEASE_MS) };
}
