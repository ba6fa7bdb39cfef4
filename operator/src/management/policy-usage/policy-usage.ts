/** The port of what the groups of budget policies have used, as gateways report it. */
import type { BudgetRow } from '@gatehouse/crds/usage';

/** The policy and where it is. */
export interface PolicyPlace {
  readonly namespace: string | undefined;
  readonly name: string;
  /** Slug; undefined: a policy of the organisation. */
  readonly workspace: string | undefined;
}

export interface PolicyUsage {
  /** The counters of the groups that gateways know of, in any order; undefined while nobody can say. */
  countersOf(policy: PolicyPlace): Promise<readonly GroupCounter[] | undefined>;
}

/** What one group has used in its period; amounts as counters have them. */
export interface GroupCounter extends Pick<BudgetRow, 'type' | 'used' | 'periodStartMs'> {
  readonly group: string;
  readonly resetsAtMs: number | undefined;
}

type Counted = Pick<BudgetRow, 'type' | 'used' | 'periodStartMs'> & {
  readonly bucket: string | undefined;
  readonly resetsAtMs?: number | undefined;
};

/** The counter of a group; nothing for one of another owner. */
export const toGroupCounters = ({ bucket, type, used, periodStartMs, resetsAtMs }: Counted): readonly GroupCounter[] =>
  bucket === undefined ? [] : [{ group: bucket, type, used, periodStartMs, resetsAtMs }];
