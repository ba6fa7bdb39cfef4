import { policyName } from '../incremental/index.ts';
import { defineRule } from '../types/index.ts';
import { selectionOf } from './shared/index.ts';

export const rateLimitPolicy = defineRule({
  kind: 'RateLimitPolicy',
  translate({ metadata: { name }, spec }, { workspace }) {
    const { type, unit, value } = spec;
    const body = { name, ...selectionOf(spec), rate: { type, unit, value } };
    return { entries: [{ kind: 'policy', workspace, name: policyName('RateLimitPolicy', name), body }], findings: [] };
  },
});
