/** What pods report of budgets, for other parts of the process: the leader alone hears of the pods. */
import type { BudgetRow } from '@gatehouse/crds/usage';
import type { UsageTracker } from '../usage/index.ts';

export interface LeaderUsage {
  /** The counters of an object, `Kind/namespace/name`; undefined while this process does not lead. */
  countersOf(object: string): readonly BudgetRow[] | undefined;
  /** Reads from the tracker until it is disposed. */
  lead(tracker: Pick<UsageTracker, 'countersOf'>): Disposable;
}

export function createLeaderUsage(): LeaderUsage {
  let leading: Pick<UsageTracker, 'countersOf'> | undefined;
  return {
    countersOf: (object) => leading?.countersOf(object),
    lead: (tracker) => {
      leading = tracker;
      return {
        [Symbol.dispose]: () => {
          leading = undefined;
        },
      };
    },
  };
}
