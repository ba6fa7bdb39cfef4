/** Shared by the tests of the pipeline. */
import { type Entries, snapshot } from '@gatehouse/test/kit';
import { createBuckets, createBudgets, createMemoryBudgetStore } from '../budgets/index.ts';
import { createMemoryLimiter } from '../limits/index.ts';
import { PROVIDERS } from '../providers/register.ts';
import { createSnapshotHolder, type SnapshotView } from '../snapshot/index.ts';
import type { Caller, ClientRequest } from './exchange.ts';
import { type IdentifyPorts, identify } from './identify.ts';
import type { LimitPorts } from './limits/index.ts';

/** A Snapshot of these entries as requests see it; throws when it is refused. */
export async function viewOf(...entries: Entries): Promise<SnapshotView> {
  const holder = createSnapshotHolder({ providers: PROVIDERS });
  await holder.load(1, snapshot(...entries));
  if (holder.current === undefined) throw new Error(holder.status.rejected?.reason);
  return holder.current;
}

/** The caller that nothing has to be waited for. */
export function callerOf(request: ClientRequest, snapshotView: SnapshotView, ports?: IdentifyPorts): Caller {
  const caller = identify(request, snapshotView, ports);
  if (caller instanceof Promise) throw new Error('the signature of a token is checked first');
  return caller;
}

/** Counters in memory, of nobody else. */
export const limitPorts = (over: Partial<LimitPorts> = {}): LimitPorts => ({
  limiter: createMemoryLimiter(),
  budgets: createBudgets({ store: createMemoryBudgetStore() }),
  buckets: createBuckets({ onOverflow: () => {} }),
  now: () => Date.UTC(2026, 0, 1),
  ...over,
});
