import { policyName } from '../incremental/index.ts';
import { defineRule } from '../types/index.ts';
import { selectionOf, usageLimitOf } from './shared/index.ts';

export const usageLimitPolicy = defineRule({
  kind: 'UsageLimitPolicy',
  translate({ metadata: { name }, spec }, { workspace }) {
    const body = { name, ...selectionOf(spec), usage: usageLimitOf(name, spec) };
    return { entries: [{ kind: 'policy', workspace, name: policyName('UsageLimitPolicy', name), body }], findings: [] };
  },
});
