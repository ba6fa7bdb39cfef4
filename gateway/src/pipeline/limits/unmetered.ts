/** Limits of what nobody here can count: tokens and costs of sessions that do not pass the gateway. */
import { askedOf, type LimitedTarget, sessionPolicyOf } from './asked.ts';
import { textOf } from './denial.ts';
import type { LimitPorts } from './entry.ts';
import { ownerOf } from './owner.ts';

/**
 * The first one that holds for the target, in words; undefined: none does, or requests alone are counted. `isAnyModel`: the session may
 * run other models of the provider than the call names.
 */
export function unmeteredLimit(target: LimitedTarget, ports: LimitPorts, isAnyModel: boolean): string | undefined {
  const asked = askedOf(target, ports, ports.now());
  const budget = asked?.charges.find((charge) => charge.budget.type !== 'requests')?.budget;
  if (budget !== undefined) return `A budget of ${budget.type} (${budget.owner.kind} ${budget.owner.slug})`;
  const demand = asked?.demands.find(({ unit }) => unit === 'tokens');
  if (demand !== undefined) return `A limit of tokens (${textOf(ownerOf(demand.subject)).replace(/^The /, '')})`;
  const policy = sessionPolicyOf(target, isAnyModel);
  if (policy === undefined) return undefined;
  const { name, usage } = policy;
  return usage === undefined
    ? `A limit of tokens (rate limit policy ${name})`
    : `A budget of ${usage.type} (policy ${name})`;
}
