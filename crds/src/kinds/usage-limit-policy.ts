import { z } from 'zod';
import { dateTime, mapList, text, withRules } from '../schema/index.ts';
import {
  budgetFields,
  budgetRules,
  budgetType,
  conditionIssues,
  defineKind,
  displayName,
  selectionFields,
  statusOf,
  usageColumns,
  usageStatus,
} from './parts/index.ts';

const SAMPLE = { conditions: [{ key: 'model', values: ['*'] }], groupBy: [{ key: 'api_key' }] };

/** Groups that may have been reset within a period. */
export const MAX_GROUP_RESETS = 500;
/** Longest name of a group: gateways cut longer ones. */
export const MAX_GROUP = 200;

const groupResets = mapList(
  z.strictObject({
    group: text(
      'group is the name of the group, as `gatehouse usage` prints it: key:value, joined with dashes.',
      MAX_GROUP,
    ),
    at: dateTime('at is one more reset of this group, at exactly that time.'),
  }),
  ['group'],
  {
    description: 'groupResets let single groups count anew: what they used before counts no more.',
    max: MAX_GROUP_RESETS,
  },
).optional();

const spec = withRules(
  z
    .strictObject({
      displayName: displayName.optional(),
      description: text('description is the purpose of the policy.', 500).optional(),
      ...selectionFields('usage'),
      type: budgetType,
      ...budgetFields,
      groupResets,
    })
    .meta({ description: 'spec is the desired state of the policy.' }),
  budgetRules(SAMPLE),
);

export const usageLimitPolicy = defineKind({
  kind: 'UsageLimitPolicy',
  plural: 'usagelimitpolicies',
  shortNames: ['gwul'],
  summary: 'A budget for the requests of a workspace that match conditions, one per group.',
  spec,
  status: statusOf(usageStatus),
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Limit', type: 'string', jsonPath: '.spec.creditLimit' },
    ...usageColumns,
  ],
  check: ({ spec: wanted }) => conditionIssues(wanted.conditions),
});
