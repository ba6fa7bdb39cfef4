/** Which requests a policy is about, and how it counts them. */
import type { ResourceOf } from '@gatehouse/crds/kinds';

type Condition = { key: string; value?: string | string[] | undefined; excludes?: string | string[] | undefined };

const listOf = (given: string | string[] | undefined): string[] | undefined =>
  typeof given === 'string' ? [given] : given;

/** Conditions of a body, as a Kind has them. */
export const toConditions = (conditions: readonly Condition[]) =>
  conditions.map(({ key, value, excludes }) => ({
    key,
    ...(value === undefined ? {} : { values: listOf(value) }),
    ...(excludes === undefined ? {} : { excludes: listOf(excludes) }),
  }));

/** The same as the API shows it. */
export const toSelection = ({
  conditions,
  groupBy,
}: Pick<ResourceOf<'RateLimitPolicy' | 'UsageLimitPolicy'>['spec'], 'conditions' | 'groupBy'>) => ({
  conditions: conditions.map(({ key, values, excludes }) => ({
    key,
    ...(values === undefined ? {} : { value: [...values] }),
    ...(excludes === undefined ? {} : { excludes: [...excludes] }),
  })),
  group_by: groupBy.map(({ key }) => ({ key })),
});
