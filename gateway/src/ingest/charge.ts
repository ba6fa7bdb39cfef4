/** Charges budgets with what records of clients have cost, where their sender asks for it. */
import type { BudgetLimit, Budgets } from '../budgets/index.ts';
import { chargeSpent, type ResolvedRequest } from '../pipeline/index.ts';
import type { AttemptFacts } from '../record/index.ts';
import { addUsage } from '../usage/index.ts';
import { createChargedRecords } from './charged-records.ts';

interface Charged {
  /** One that comes again has the same; undefined: each one is new. */
  readonly id: string | undefined;
  readonly record: { readonly attempts: readonly Pick<AttemptFacts, 'usage' | 'cost'>[] };
}

interface ChargePorts {
  readonly budgets: Pick<Budgets, 'reserve'>;
  now(): number;
}

/** Charged records that are known, of all workspaces: some calls of the largest kind of each of several. */
const MAX_CHARGED = 100_000;

const HEADER = 'x-gw-override-service-log-usage';

/** Charges what was not charged before. */
export function createCharges(ports: ChargePorts): (request: ResolvedRequest, records: readonly Charged[]) => void {
  const known = createChargedRecords(MAX_CHARGED);
  return (request, records) => {
    if (request.exchange.request.header(HEADER)?.trim().toLowerCase() !== 'true') return;
    const { name } = request.caller.workspace;
    const fresh = records.filter(({ id }) => id === undefined || known.add(name, id));
    if (fresh.length > 0) charge(request, fresh, ports);
  };
}

/**
 * Budgets of cost and tokens of the key and of its workspace: whoever tells of calls may use these up anyway. Never those
 * of accounts and policies, which others share: what a client tells is not checked.
 */
function charge({ caller }: ResolvedRequest, charged: readonly Charged[], { budgets, now }: ChargePorts): void {
  const limits: readonly BudgetLimit[] = [...caller.key.limits.budgets, ...caller.workspace.limits.budgets].filter(
    ({ type }) => type !== 'requests',
  );
  if (limits.length > 0) chargeSpent({ limits, spent: sumOf(charged), budgets, nowMs: now() });
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
