import { z } from 'zod';
import { flag, type Rule, withRules } from '../schema/index.ts';
import {
  COARSE_UNITS,
  defineKind,
  nameRef,
  rateLimits,
  statusOf,
  usageColumns,
  usageLimits,
  usageStatus,
} from './parts/index.ts';

const fields = z
  .strictObject({
    integrationRef: nameRef('integrationRef names the Integration that is granted.').meta({
      immutable: 'integrationRef cannot change; make another IntegrationAccess',
    }),
    workspaceRef: nameRef('workspaceRef names the Workspace that gets the Integration.').optional(),
    allWorkspaces: z
      .boolean()
      .meta({
        description:
          'allWorkspaces grants the Integration to every workspace that has no IntegrationAccess of its own.',
      })
      .optional(),
    enabled: flag('enabled false withdraws the integration from the workspace.', true),
    rateLimits: rateLimits(COARSE_UNITS, 1).optional(),
    usageLimits: usageLimits(1).optional(),
  })
  .meta({ description: 'spec is the grant.' });

const GRANT = { integrationRef: { name: 'openai' } };

const RULES: readonly Rule<z.output<typeof fields>>[] = [
  {
    cel: 'has(self.workspaceRef) != (has(self.allWorkspaces) && self.allWorkspaces)',
    message: 'exactly one of workspaceRef and allWorkspaces is needed',
    at: 'workspaceRef',
    holds: ({ workspaceRef, allWorkspaces }) => (workspaceRef !== undefined) !== (allWorkspaces === true),
    valid: [
      { ...GRANT, workspaceRef: { name: 'team-a' } },
      { ...GRANT, allWorkspaces: true },
      { ...GRANT, workspaceRef: { name: 'team-a' }, allWorkspaces: false },
    ],
    invalid: [
      GRANT,
      { ...GRANT, allWorkspaces: false },
      { ...GRANT, workspaceRef: { name: 'a' }, allWorkspaces: true },
    ],
  },
];

export const integrationAccess = defineKind({
  kind: 'IntegrationAccess',
  plural: 'integrationaccesses',
  shortNames: ['gwia'],
  summary: 'Grants an Integration of the organisation to one workspace or to all.',
  spec: withRules(fields, RULES),
  status: statusOf(usageStatus),
  columns: [
    { name: 'Integration', type: 'string', jsonPath: '.spec.integrationRef.name' },
    { name: 'Workspace', type: 'string', jsonPath: '.spec.workspaceRef.name' },
    ...usageColumns,
  ],
});
