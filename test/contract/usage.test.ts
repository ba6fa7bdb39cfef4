/** What gateways and the operator say to each other about budgets, over real sockets. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BudgetRow, UsageTotal } from '@gatehouse/crds/usage';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import {
  type BudgetLimit,
  createBudgets,
  createMemoryBudgetStore,
  toSchedule,
} from '../../gateway/src/budgets/index.ts';
import { Secret } from '../../gateway/src/lib/secret.ts';
import { createAdminListener } from '../../gateway/src/listener/index.ts';
import { createSnapshotHolder } from '../../gateway/src/snapshot/index.ts';
import { createUsageReports } from '../../gateway/src/usage-report/index.ts';
import { createPodUsage } from '../../operator/src/usage/index.ts';

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const TOKEN = 'admin-token-of-tests';

const budget = (name: string): BudgetLimit => ({
  id: `key/red/${name}|main`,
  name: 'main',
  slot: 'red',
  owner: { kind: 'key', id: `key/red/${name}`, slug: name },
  type: 'requests',
  limit: 10,
  schedule: toSchedule({ reset: { period: 'monthly' } }),
});

/** A gateway's admin listener over budgets that the test spends. */
async function gateway() {
  const budgets = createBudgets({ store: createMemoryBudgetStore() });
  const ports = { snapshots: createSnapshotHolder({ providers: new Map() }), metrics: undefined, version: 'test' };
  const listener = createAdminListener(
    { host: '127.0.0.1', port: 0 },
    {
      ...ports,
      usage: createUsageReports({ source: budgets }),
      token: new Secret(TOKEN),
      isAccepting: () => true,
      sourceStatus: () => undefined,
    },
  );
  const port = await listener.listen();
  return {
    port,
    url: `http://127.0.0.1:${port}/internal/usage`,
    usage: budgets.usage,
    spend: async (name: string, amount: number): Promise<void> => {
      const spend = await budgets.reserve([{ budget: budget(name), estimate: amount }], Date.now());
      if (spend.allowed) spend.settle([amount]);
    },
    [Symbol.asyncDispose]: async () => {
      await listener.closeNow();
      await budgets.close();
    },
  };
}

/** The operator's side, following one pod. */
function follow(port: number, { token = TOKEN, lost = [] }: { token?: string; lost?: readonly UsageTotal[] } = {}) {
  const rows = new Map<string, BudgetRow>();
  const usage = createPodUsage({
    token: () => token,
    onRows: (given) => {
      for (const row of given) rows.set(row.id, row);
      return [];
    },
    totals: () => lost,
    log: QUIET,
  });
  usage.setPods([{ name: 'pod', uid: 'u', ip: '127.0.0.1', ready: true, adminPort: port }]);
  return { rows, [Symbol.asyncDispose]: usage.close };
}

describe('the operator', () => {
  test('hears of what was spent before it asked, and of every further tenth', async () => {
    await using pod = await gateway();
    await pod.spend('app', 2);
    await using operator = follow(pod.port);
    await waitFor(() => operator.rows.get('key/red/app|main')?.used === 2);
    await pod.spend('app', 8);
    await waitFor(() => operator.rows.get('key/red/app|main')?.used === 10);
    expect(operator.rows.get('key/red/app|main')).toMatchObject({ name: 'main', limit: 10, slot: 'red' });
  });

  test('tells a process that has started what its store has lost', async () => {
    await using pod = await gateway();
    await pod.spend('app', 1);
    const [known] = pod.usage();
    const total = {
      ...{ id: 'key/red/app|main', slot: 'red', used: 7, generation: 'before' },
      periodStartMs: known?.periodStartMs ?? 0,
    };
    await using operator = follow(pod.port, { lost: [total] });
    await waitFor(() => (operator.rows.get('key/red/app|main')?.used ?? 0) >= 8);
  });

  test('is told nothing without the token', async () => {
    await using pod = await gateway();
    await pod.spend('app', 5);
    expect((await fetch(pod.url)).status).toBe(401);
    expect((await fetch(pod.url, { method: 'POST' })).status).toBe(401);
  });

  test('is refused totals that are none', async () => {
    await using pod = await gateway();
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ totals: [{ id: 'x', used: -1 }] });
    expect((await fetch(pod.url, { method: 'POST', headers, body })).status).toBe(400);
  });

  test('leaves a gateway of before budgets alone', async () => {
    let asked = 0;
    const old = createServer((_request, response) => {
      asked += 1;
      response.statusCode = 404;
      response.end('{}');
    });
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    const { port } = old.address() as AddressInfo; // of a server that listens on TCP
    const operator = follow(port);
    await waitFor(() => asked === 1);
    await operator[Symbol.asyncDispose]();
    expect([asked, operator.rows.size]).toEqual([1, 0]);
    await new Promise((resolve) => old.close(resolve));
  });
});
