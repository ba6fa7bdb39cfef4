/**
 * Rules of a saved config that the API server checks without the webhook. `checkConfig` checks the same and more wherever the webhook or
 * the operator reads the config.
 */
import type { Rule } from '../schema/index.ts';
import type { KindConfig } from './target.ts';

const TARGET = { name: 'a', provider: '@main' };

const conditional = (strategy: object) => ({ strategy: { mode: 'conditional', ...strategy }, targets: [TARGET] });

const isConditional = ({ strategy }: KindConfig): boolean => strategy?.mode === 'conditional';

// biome-ignore lint/suspicious/noThenProperty: the name is the wire contract of configs
const CONDITION = { query: { 'metadata.plan': 'paid' }, then: 'a' };

export const SAVED_RULES: readonly Rule<KindConfig>[] = [
  {
    cel: '!has(self.targets) || has(self.strategy)',
    message: 'targets need a strategy',
    at: 'strategy',
    reason: 'FieldValueRequired',
    holds: (node) => node.targets === undefined || node.strategy !== undefined,
    valid: [{ provider: '@main' }, { strategy: { mode: 'single' }, targets: [TARGET] }],
    invalid: [{ targets: [TARGET] }],
  },
  {
    cel: '!has(self.strategy) || has(self.targets)',
    message: 'a strategy needs targets',
    at: 'targets',
    reason: 'FieldValueRequired',
    holds: (node) => node.strategy === undefined || node.targets !== undefined,
    valid: [{ provider: '@main' }],
    invalid: [{ strategy: { mode: 'fallback' } }],
  },
  {
    cel: "!has(self.strategy) || self.strategy.mode != 'loadbalance' || !has(self.targets) || self.targets.exists(t, !has(t.weight) || t.weight > 0.0)",
    message: 'at least one target needs a weight above 0',
    at: 'targets',
    into: 'targets',
    holds: ({ strategy, targets }) =>
      strategy?.mode !== 'loadbalance' || targets === undefined || targets.some((target) => target.weight !== 0),
    valid: [
      {
        strategy: { mode: 'loadbalance' },
        targets: [
          { ...TARGET, weight: 0 },
          { ...TARGET, name: 'b' },
        ],
      },
      { strategy: { mode: 'fallback' }, targets: [{ ...TARGET, weight: 0 }] },
    ],
    invalid: [{ strategy: { mode: 'loadbalance' }, targets: [{ ...TARGET, weight: 0 }] }],
  },
  {
    cel: "!has(self.strategy) || self.strategy.mode != 'conditional' || (has(self.strategy.conditions) && self.strategy.conditions.size() > 0)",
    message: 'mode conditional needs conditions',
    at: 'strategy.conditions',
    reason: 'FieldValueRequired',
    holds: (node) => !isConditional(node) || (node.strategy?.conditions?.length ?? 0) > 0,
    valid: [conditional({ conditions: [CONDITION], default: 'a' })],
    invalid: [conditional({ default: 'a' }), conditional({ conditions: [], default: 'a' })],
  },
  {
    cel: "!has(self.strategy) || self.strategy.mode != 'conditional' || has(self.strategy.default)",
    message: 'a saved conditional config needs a default target',
    at: 'strategy.default',
    reason: 'FieldValueRequired',
    holds: (node) => !isConditional(node) || node.strategy?.default !== undefined,
    valid: [conditional({ conditions: [CONDITION], default: 'a' })],
    invalid: [conditional({ conditions: [CONDITION] })],
  },
];
