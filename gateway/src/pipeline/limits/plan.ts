/** What key, workspace, account and grant ask of every request to a target: made once, and used by all requests of the key. */
import type { BudgetLimit } from '../../budgets/index.ts';
import type { Demand } from '../../limits/index.ts';
import type { KeyRecord, OwnerLimits } from '../../snapshot/index.ts';

/** The owners whose limits hold for a target. */
export interface Owners {
  readonly access: OwnerLimits;
  readonly account: OwnerLimits;
  readonly key: KeyRecord;
  readonly workspace: OwnerLimits;
}

export interface TargetPlan {
  readonly budgets: readonly BudgetLimit[];
  /** The demands of the owners, then those of policies, for a call that may write so many tokens. Equal answers are the same list. */
  demands(tokens: number, policies: readonly Demand[]): readonly Demand[];
}

interface Known extends TargetPlan {
  readonly owners: Owners;
  readonly isFree: boolean;
}

/** Targets that the requests of one key go to, at the same time. */
const MAX_PLANS = 8;

// A memo of a pure function: keys serve many requests.
const memo = new WeakMap<KeyRecord, Known[]>();

/** `isFree`: only the rates of the provider's side hold. */
export function planOf(owners: Owners, isFree: boolean): TargetPlan {
  const plans = memo.get(owners.key) ?? [];
  const { access, account, workspace } = owners;
  for (const plan of plans) {
    const known = plan.owners;
    if (known.account !== account || known.access !== access || known.workspace !== workspace) continue;
    if (plan.isFree === isFree) return plan;
  }
  const plan = { ...makePlan(owners, isFree), owners, isFree };
  memo.set(owners.key, [plan, ...plans.slice(0, MAX_PLANS - 1)]);
  return plan;
}

function makePlan({ access, account, key: { limits: key }, workspace }: Owners, isFree: boolean): TargetPlan {
  const own = isFree ? [] : [...key.tokens, ...workspace.tokens];
  const rates = [...access.requests, ...access.tokens, ...account.requests, ...account.tokens];
  const one = [...own, ...rates];
  const budgets = isFree ? [] : [access, account, key, workspace].flatMap((limits) => limits.budgets);
  let fixed = { tokens: 1, demands: one };
  let whole: {
    readonly fixed: readonly Demand[];
    readonly policies: readonly Demand[];
    readonly all: readonly Demand[];
  } = { fixed: one, policies: [], all: one };
  return {
    budgets,
    demands: (tokens, policies) => {
      if (fixed.tokens !== tokens) {
        fixed = {
          tokens,
          demands: one.map((demand) => (demand.unit === 'tokens' ? { ...demand, cost: tokens } : demand)),
        };
      }
      const { demands } = fixed;
      if (whole.fixed !== demands || !isSameList(whole.policies, policies)) {
        whole = { fixed: demands, policies, all: [...demands, ...policies] };
      }
      return whole.all;
    },
  };
}

const isSameList = (a: readonly Demand[], b: readonly Demand[]): boolean =>
  a.length === b.length && a.every((demand, i) => demand === b[i]);
