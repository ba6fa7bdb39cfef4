/** The sidecar's side: limits and budgets that the fleet counts. */
import type { BudgetStore } from '../budgets/index.ts';
import type { SharedCounters } from '../limits/index.ts';
import { createFleetBudgetStore } from './budget-store.ts';
import { type CallOptions, createCalls } from './calls.ts';
import { createSharedCounters } from './shared-counters.ts';

export interface FleetCounters {
  readonly limits: SharedCounters;
  readonly budgets: BudgetStore;
  /** Whether there is a fleet to count; without one this process counts alone. */
  hasFleet(): boolean;
}

export function createFleetCounters(options: CallOptions): FleetCounters {
  const calls = createCalls(options);
  const hasFleet = (): boolean => options.address() !== undefined;
  const limits = createSharedCounters({ calls, hasFleet });
  return { limits, budgets: createFleetBudgetStore({ calls, hasFleet }), hasFleet };
}
