/** Budgets that are used up: from the last request that they admit until the status of their ApiKeys says so. */
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@gatehouse/test/kit';
import { ask } from '../../contract/gateway-process.ts';
import { apply, type KubeThing, read } from '../../operator/operator/support.ts';
import { budgetedKey } from './population.ts';
import type { Bench, GatewayProcess } from './programs.ts';
import type { Stage } from './stage.ts';

interface BudgetOptions {
  readonly count: number;
  readonly gateways: readonly GatewayProcess[];
  readonly namespace: string;
}

/** Over which the ends of the budgets are spread: longer than the time between two reports of a gateway. */
const SPREAD_MS = 30_000;
const DEADLINE_MS = 120_000;

/** In ms. Rejects when a budget does not end in time. */
export async function measureBudgets(bench: Bench, stage: Stage, options: BudgetOptions): Promise<readonly number[]> {
  const { count, gateways, namespace } = options;
  const keys = Array.from({ length: count }, (_, i) => ({ name: `budget-${i}`, key: `gwk_of_budget_${i}` }));
  for (const { name, key } of keys) await apply(stage.cluster, budgetedKey(namespace, name, key));
  const url = gateways[0]?.url ?? '';
  const shown = await Promise.all(
    keys.map(async ({ name, key }) => {
      await wait(Math.random() * SPREAD_MS);
      const headers = { authorization: `Bearer ${key}` };
      const what = `the end of ${name}`;
      await waitFor(async () => (await ask(url, headers)) === 'any', { what, deadlineMs: DEADLINE_MS });
      const startMs = performance.now();
      await waitFor(() => isExhausted(stage, { namespace, name }), { what, deadlineMs: DEADLINE_MS });
      return performance.now() - startMs;
    }),
  );
  bench.say(`${count} budgets are used up`);
  return shown;
}

async function isExhausted({ cluster }: Stage, metadata: KubeThing['metadata']): Promise<boolean> {
  const object = await read(cluster, { apiVersion: 'gatehouse.dev/v1alpha1', kind: 'ApiKey', metadata });
  const conditions = (object?.['status'] as Status | undefined)?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Exhausted' && status === 'True');
}

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}
