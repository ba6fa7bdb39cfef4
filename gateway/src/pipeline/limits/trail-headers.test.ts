import { expect, test } from 'vitest';
import type { Demand } from '../../limits/index.ts';
import { rateHeaders } from './trail-headers.ts';

const demand = (
  subject: string,
  limit: number,
  unit: Demand['unit'] = 'requests',
  window: Demand['window'] = 'rpm',
) => ({
  ...{ slot: 'team-a', subject, unit, window, limit, cost: 1 },
});
const left = (remaining: number, resetMs = 1_500) => ({ remaining, resetMs });

const KEY = demand('key/team-a/app', 100);
const WORKSPACE = demand('workspace/team-a/team-a', 1_000);
const TOKENS = demand('provider/team-a/openai', 5_000, 'tokens', 'rpd');

test.for([
  {
    rule: 'the limit with the smallest share left, not with the smallest number',
    lists: [[KEY, WORKSPACE]],
    windows: [[left(60), left(500)]],
    policies: '"workspace-requests-rpm";q=1000;w=60',
    limits: '"workspace-requests-rpm";r=500;t=2',
  },
  {
    rule: 'the first of those with the same share',
    lists: [[KEY, WORKSPACE]],
    windows: [[left(10), left(100)]],
    policies: '"key-requests-rpm";q=100;w=60',
    limits: '"key-requests-rpm";r=10;t=2',
  },
  {
    rule: 'one of requests and one of tokens',
    lists: [[KEY], [TOKENS]],
    windows: [[left(99, 60_000)], [left(0, 1)]],
    policies: '"key-requests-rpm";q=100;w=60, "provider-openai-tokens-rpd";q=5000;w=86400;qu="tokens"',
    limits: '"key-requests-rpm";r=99;t=60, "provider-openai-tokens-rpd";r=0;t=1',
  },
  {
    rule: 'tokens alone where no limit of requests was asked',
    lists: [[TOKENS]],
    windows: [[left(4_000)]],
    policies: '"provider-openai-tokens-rpd";q=5000;w=86400;qu="tokens"',
    limits: '"provider-openai-tokens-rpd";r=4000;t=2',
  },
  {
    rule: 'the latest state of a limit that was asked again',
    lists: [[KEY], [TOKENS], [KEY]],
    windows: [[left(1)], [left(4_000)], [left(50)]],
    policies: '"key-requests-rpm";q=100;w=60, "provider-openai-tokens-rpd";q=5000;w=86400;qu="tokens"',
    limits: '"key-requests-rpm";r=50;t=2, "provider-openai-tokens-rpd";r=4000;t=2',
  },
])('headers show $rule', ({ lists, windows, policies, limits }) => {
  expect(rateHeaders(lists, windows)).toEqual({ policies, limits });
});

test('there are no headers without a state', () => {
  expect(rateHeaders([[KEY]], [[]])).toBeUndefined();
  expect(rateHeaders([], [])).toBeUndefined();
});
