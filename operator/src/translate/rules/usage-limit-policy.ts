import { policyName } from '../incremental/index.ts';
import { defineRule } from '../types/index.ts';
import { selectionOf, usageLimitOf } from './shared/index.ts';

export const usageLimitPolicy = defineRule({
  kind: 'UsageLimitPolicy',
  translate({ metadata: { name }, spec }, { workspace }) {
    const { groupResets = [] } = spec;
    const resets = groupResets.length === 0 ? {} : { groupResets: groupResets.map(({ group, at }) => ({ group, at })) };
    const body = { name, ...selectionOf(spec), usage: { ...usageLimitOf(name, spec), ...resets } };
    return { entries: [{ kind: 'policy', workspace, name: policyName('UsageLimitPolicy', name), body }], findings: [] };
  },
});
