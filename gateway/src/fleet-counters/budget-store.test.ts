import { describe, expect, test } from 'vitest';
import type { SyncRequest } from '../budgets/index.ts';
import { StoreUnavailable } from '../store/index.ts';
import { createFleetBudgetStore } from './budget-store.ts';
import type { WireSync, WireSyncReply } from './protocol.ts';

const REQUEST: SyncRequest = {
  ...{ id: 'workspace/team-a/team-a|cost|main', slot: 'team-a', limit: 100, holder: 'h.0', sequence: 1 },
  ...{ period: { startMs: 0, endMs: undefined }, spentIn: -1, spent: 0, held: 0, more: 5, spare: true },
  ...{ leaseMs: 30_000, generation: '', seed: { generation: 'g', periodStartMs: 0, total: 9 } },
};
const DONE: WireSyncReply = {
  ...{ status: 'done', nowMs: 1, periodStartMs: 0, generation: 'g', total: 0, held: 5, heldByOthers: 0, holders: 1 },
};

function start(sync: (budgets: readonly WireSync[]) => Promise<readonly WireSyncReply[]>, hasFleet = true) {
  const sent: WireSync[] = [];
  const store = createFleetBudgetStore({
    hasFleet: () => hasFleet,
    calls: {
      sync: (budgets) => {
        sent.push(...budgets);
        return sync(budgets);
      },
    },
  });
  return { store, sent };
}

describe('budgets that the fleet counts', () => {
  test('are named, without what the fleet knows itself', async () => {
    const { store, sent } = start(async () => [DONE]);
    expect(await store.sync([REQUEST])).toEqual([DONE]);
    for (const name of ['limit', 'slot', 'period', 'seed']) expect(sent[0]).not.toHaveProperty(name);
    expect(sent[0]).toMatchObject({ id: REQUEST.id, periodStartMs: 0, more: 5 });
  });

  test('are counted here where the fleet does not have them', async () => {
    const { store } = start(async () => [{ status: 'unknown' }, DONE]);
    const other = { ...REQUEST, id: 'provider//lent|cost|main', limit: 12 };
    expect(await store.sync([other, REQUEST])).toMatchObject([{ status: 'done', held: 3 }, DONE]);
  });

  test('are counted here without a fleet', async () => {
    const { store, sent } = start(async () => [], false);
    expect(await store.sync([REQUEST])).toMatchObject([{ status: 'done' }]);
    expect(sent).toEqual([]);
  });

  test.each([
    { rule: 'was not sent', error: new StoreUnavailable('busy'), isApplied: false },
    { rule: 'had no answer', error: new StoreUnavailable('timeout'), isApplied: undefined },
  ])('fail when the call $rule', async ({ error, isApplied }) => {
    const { store } = start(() => Promise.reject(error));
    expect(await store.sync([REQUEST])).toEqual([{ status: 'failed', isApplied }]);
  });

  test.each([
    { wire: false, isApplied: false },
    { wire: true, isApplied: undefined },
  ])('fail as the fleet says', async ({ wire, isApplied }) => {
    const { store } = start(async () => [{ status: 'failed', isApplied: wire }]);
    expect(await store.sync([REQUEST])).toEqual([{ status: 'failed', isApplied }]);
  });
});
