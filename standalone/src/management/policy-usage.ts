/** What the groups of policies have used, from the gateways of this process. */
import { entryId } from '@gatehouse/crds/snapshot';
import type { BudgetUsage } from '@gatehouse/gateway';
import { type PolicyUsage, toGroupCounters } from '@gatehouse/operator/management';
import { policyName } from '@gatehouse/operator/translate';

export const policyUsageOf = (budgets: () => Promise<readonly BudgetUsage[]>): PolicyUsage => ({
  countersOf: async ({ workspace = null, name }) => {
    const id = entryId('policy', workspace, policyName('UsageLimitPolicy', name));
    const usages = await budgets();
    return usages
      .filter(({ budget }) => budget.owner.id === id)
      .flatMap(({ budget, used, periodStartMs, resetsAtMs }) =>
        toGroupCounters({ type: budget.type, bucket: budget.owner.bucket, used, periodStartMs, resetsAtMs }),
      );
  },
});
