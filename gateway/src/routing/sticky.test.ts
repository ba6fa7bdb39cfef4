import { describe, expect, test } from 'vitest';
import type { StickyField, StickyPlan } from './plan.ts';
import { type SessionFacts, stickyKey } from './sticky.ts';

const field = (name: string): StickyField => {
  const [source = '', ...path] = name.split('.');
  return { name, source: source as StickyField['source'], path }; // the rows below name one of three
};
const plan = (...fields: string[]): StickyPlan => ({ version: 'v1', ttlSeconds: 60, fields: fields.map(field) });
const facts = (over: Partial<SessionFacts> = {}): SessionFacts => ({
  keyHash: 'hash',
  metadata: {},
  params: {},
  header: () => undefined,
  ...over,
});
const keyOf = (by: StickyPlan, given: Partial<SessionFacts> = {}, branch = 'config') =>
  stickyKey(by, branch, facts(given));

describe('the key of a session', () => {
  test('has the documented form and hides the identity', () => {
    expect(keyOf(plan('metadata._user'), { metadata: { _user: 'ada' } })).toMatch(
      /^sticky:loadbalance:v1:[0-9a-f]{64}$/,
    );
  });

  test.for<{
    rule: string;
    a: [StickyPlan, Partial<SessionFacts>?, string?];
    b: [StickyPlan, Partial<SessionFacts>?, string?];
  }>([
    { rule: 'the gateway key', a: [plan()], b: [plan(), { keyHash: 'other' }] },
    { rule: 'the version of the config', a: [plan()], b: [{ ...plan(), version: 'v2' }] },
    { rule: 'the load balancer', a: [plan()], b: [plan(), {}, 'config.targets[0]'] },
    {
      rule: 'a metadata field',
      a: [plan('metadata.a'), { metadata: { a: '1' } }],
      b: [plan('metadata.a'), { metadata: { a: '2' } }],
    },
    {
      rule: 'a nested parameter',
      a: [plan('params.a.b'), { params: { a: { b: 1 } } }],
      b: [plan('params.a.b'), { params: { a: { b: 2 } } }],
    },
    {
      rule: 'which field the value is of',
      a: [plan('params.a', 'params.b'), { params: { a: 'x' } }],
      b: [plan('params.a', 'params.b'), { params: { b: 'x' } }],
    },
    {
      rule: 'a header',
      a: [plan('headers.x-s'), { header: () => '1' }],
      b: [plan('headers.x-s'), { header: () => '2' }],
    },
  ])('depends on $rule', ({ a, b }) => {
    expect(keyOf(...a)).not.toBe(keyOf(...b));
  });

  test.for<{ rule: string; by: StickyPlan; a: Partial<SessionFacts>; b: Partial<SessionFacts> }>([
    { rule: 'a field without a value', by: plan('metadata.a'), a: {}, b: { metadata: { a: '' } } },
    { rule: 'a value that is null', by: plan('params.a'), a: {}, b: { params: { a: null } } },
    { rule: 'a path through a text', by: plan('params.a.b'), a: {}, b: { params: { a: 'text' } } },
    { rule: 'inherited members', by: plan('params.constructor.name'), a: {}, b: { params: {} } },
    { rule: 'other fields', by: plan('params.a'), a: { params: { b: 1 } }, b: { params: { b: 2 } } },
  ])('does not depend on $rule', ({ by, a, b }) => {
    expect(keyOf(by, a)).toBe(keyOf(by, b));
  });

  test('takes values that are no text as JSON', () => {
    const by = plan('params.a');
    expect(keyOf(by, { params: { a: { b: [1] } } })).toBe(keyOf(by, { params: { a: '{"b":[1]}' } }));
  });
});
