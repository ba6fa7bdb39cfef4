/** Charges budgets with what records of clients have cost, where their sender asks for it. */
import type { BudgetLimit, Budgets } from '../budgets/index.ts';
import { chargeSpent, type ResolvedRequest } from '../pipeline/index.ts';
import type { AttemptFacts } from '../record/index.ts';
import type { ManagedProvider } from '../snapshot/index.ts';
import { addUsage } from '../usage/index.ts';

interface Charged {
  readonly entry: { readonly account: ManagedProvider | undefined };
  readonly record: { readonly attempts: readonly Pick<AttemptFacts, 'usage' | 'cost'>[] };
}

interface ChargePorts {
  readonly budgets: Pick<Budgets, 'reserve'>;
  now(): number;
}

const HEADER = 'x-gw-override-service-log-usage';

/** Budgets of cost and tokens of the key and the workspace, and of the accounts that the records name. */
export function chargeEntries(
  { exchange, caller }: ResolvedRequest,
  charged: readonly Charged[],
  { budgets, now }: ChargePorts,
): void {
  if (exchange.request.header(HEADER)?.trim().toLowerCase() !== 'true') return;
  const nowMs = now();
  const charge = (limits: readonly BudgetLimit[], of: readonly Charged[]): void => {
    const counted = limits.filter(({ type }) => type !== 'requests');
    if (counted.length > 0) chargeSpent({ limits: counted, spent: sumOf(of), budgets, nowMs });
  };
  charge([...caller.key.limits.budgets, ...caller.workspace.limits.budgets], charged);
  for (const [account, of] of Map.groupBy(charged, ({ entry }) => entry.account)) {
    if (account === undefined) continue;
    charge([...account.limits.budgets, ...account.accessLimits(caller.workspace.name).budgets], of);
  }
}

function sumOf(charged: readonly Charged[]): Pick<AttemptFacts, 'usage' | 'cost'> {
  let usage: AttemptFacts['usage'];
  let nanoDollars = 0;
  for (const attempt of charged.flatMap(({ record }) => record.attempts)) {
    if (attempt.usage !== undefined) usage = usage === undefined ? attempt.usage : addUsage(usage, attempt.usage);
    nanoDollars = Math.min(Number.MAX_SAFE_INTEGER, nanoDollars + (attempt.cost?.nanoDollars ?? 0));
  }
  return { usage, cost: { nanoDollars, unpriced: false, estimated: false } };
}
