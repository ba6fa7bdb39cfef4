import { z } from 'zod';
import { text, withRules } from '../schema/index.ts';
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

const spec = withRules(
  z
    .strictObject({
      displayName: displayName.optional(),
      description: text('description is the purpose of the policy.', 500).optional(),
      ...selectionFields('usage'),
      type: budgetType,
      ...budgetFields,
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
