import { z } from 'zod';
import { type Rule, text, withRules } from '../schema/index.ts';
import {
  conditionIssues,
  defineKind,
  displayName,
  limitType,
  rateUnit,
  rateValue,
  selectionFields,
  statusOf,
} from './parts/index.ts';

const fields = z
  .strictObject({
    displayName: displayName.optional(),
    description: text('description is the purpose of the policy.', 500).optional(),
    target: z.enum(['llm', 'mcp_tools']).default('llm').meta({
      description: 'target is what is limited: calls of models or of tools.',
      immutable: 'target cannot change; make another RateLimitPolicy',
    }),
    ...selectionFields('rate'),
    type: limitType,
    unit: rateUnit(['rpm', 'rph', 'rpd', 'rpw']),
    value: rateValue,
  })
  .meta({ description: 'spec is the desired state of the policy.' });

const POLICY = { type: 'requests', unit: 'rpm', value: 100 };
const on = (target: string, key: string, group: string) => ({
  ...POLICY,
  target,
  conditions: [{ key, values: ['*'] }],
  groupBy: [{ key: group }],
});

const keysOf = ({ conditions, groupBy }: z.output<typeof fields>): string[] =>
  [...conditions, ...groupBy].map(({ key }) => key);

const TOOL_KEYS = ['api_key', 'workspace_id', 'organisation_id', 'mcp_server', 'mcp_tool'];

const RULES: readonly Rule<z.output<typeof fields>>[] = [
  {
    cel: "self.target != 'llm' || (self.conditions.all(c, !c.key.startsWith('mcp_')) && self.groupBy.all(g, !g.key.startsWith('mcp_')))",
    message: 'mcp_server and mcp_tool need target mcp_tools',
    at: 'target',
    holds: (spec) => spec.target !== 'llm' || keysOf(spec).every((key) => !key.startsWith('mcp_')),
    valid: [on('llm', 'model', 'metadata.team')],
    invalid: [on('llm', 'mcp_tool', 'api_key'), on('llm', 'model', 'mcp_server')],
  },
  {
    cel: "self.target != 'mcp_tools' || (self.conditions.all(c, c.key.startsWith('metadata.') || c.key in ['api_key', 'workspace_id', 'organisation_id', 'mcp_server', 'mcp_tool']) && self.groupBy.all(g, g.key.startsWith('metadata.') || g.key in ['api_key', 'workspace_id', 'organisation_id', 'mcp_server', 'mcp_tool']))",
    message: 'with target mcp_tools only metadata, keys, workspace, organisation, mcp_server and mcp_tool can be used',
    at: 'target',
    holds: (spec) =>
      spec.target !== 'mcp_tools' ||
      keysOf(spec).every((key) => key.startsWith('metadata.') || TOOL_KEYS.includes(key)),
    valid: [on('mcp_tools', 'mcp_server', 'metadata.team')],
    invalid: [on('mcp_tools', 'model', 'api_key'), on('mcp_tools', 'mcp_tool', 'config')],
  },
];

export const rateLimitPolicy = defineKind({
  kind: 'RateLimitPolicy',
  plural: 'ratelimitpolicies',
  shortNames: ['gwrl'],
  summary: 'A rate limit over the requests of a workspace that match conditions, counted per group.',
  spec: withRules(fields, RULES),
  status: statusOf({}),
  columns: [
    { name: 'Value', type: 'integer', jsonPath: '.spec.value' },
    { name: 'Unit', type: 'string', jsonPath: '.spec.unit' },
  ],
  check: ({ spec: wanted }) => conditionIssues(wanted.conditions),
});
