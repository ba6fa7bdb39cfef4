/** Which requests a policy applies to, and how it groups them into counters. */
import { z } from 'zod';
import { mapList, pattern, type Rule, setList, withRules } from '../../schema/index.ts';

/** Keys of conditions and groups beside `metadata.NAME`. The values are those of the REST API. */
const KEYS = {
  usage: ['api_key', 'workspace_id', 'organisation_id', 'virtual_key', 'provider', 'config', 'prompt', 'model'],
  rate: [
    'api_key',
    'workspace_id',
    'organisation_id',
    'virtual_key',
    'provider',
    'config',
    'prompt',
    'model',
    'endpoint_type',
    'mcp_server',
    'mcp_tool',
  ],
} as const;

const keyOf = (policy: keyof typeof KEYS) =>
  pattern(
    new RegExp(`^(${KEYS[policy].join('|')}|metadata\\..+)$`),
    `metadata.NAME or one of ${KEYS[policy].join(', ')}`,
    256,
  ).meta({ description: 'key is the property of the request that is compared.' });

const values = (description: string) => setList(z.string().min(1).max(256), description, 32);

const CONDITION_RULES: readonly Rule<{ values?: unknown; excludes?: unknown }>[] = [
  {
    cel: 'has(self.values) || has(self.excludes)',
    message: 'a condition needs values or excludes',
    at: 'values',
    reason: 'FieldValueRequired',
    holds: (condition) => condition.values !== undefined || condition.excludes !== undefined,
    valid: [
      { key: 'model', values: ['@openai/*'] },
      { key: 'model', excludes: ['@openai/gpt-4o'] },
    ],
    invalid: [{ key: 'model' }],
  },
];

/** The members that select and group requests. */
export const selectionFields = (policy: keyof typeof KEYS) => ({
  conditions: mapList(
    withRules(
      z.strictObject({
        key: keyOf(policy),
        values: values(
          'values are the accepted values; * accepts any, @provider/* accepts all models of a provider.',
        ).optional(),
        excludes: values('excludes are refused values, compared first.').optional(),
      }),
      CONDITION_RULES,
    ),
    ['key'],
    { description: 'conditions select requests; all must hold.', max: 16 },
  ).min(1),
  groupBy: mapList(z.strictObject({ key: keyOf(policy) }), ['key'], {
    description: 'groupBy gives each distinct combination of values its own counter.',
    max: 8,
  }).min(1),
});
