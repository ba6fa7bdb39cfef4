import { describe, expect, test } from 'vitest';
import { compilePlan, type HookSource, HooksUnusable, type Leaf, type PlanNode, type RoutingPlan } from './index.ts';

const WORDS = { contains: { words: ['x'] } };

/** Hooks as they stand in a node after its checks. */
const compile = (node: object): RoutingPlan => compilePlan(node, { saved: undefined, credential: () => undefined });

function leavesOf(plan: RoutingPlan): readonly Leaf[] {
  const walk = (node: PlanNode): Leaf[] => (node.kind === 'leaf' ? [node] : node.children.flatMap(walk));
  return walk(plan.root);
}
const nameOf = (source: HookSource): string => (source.kind === 'stored' ? source.slug : source.hook.id);
const namesOf = ({ settings: { hooks } }: Leaf) =>
  hooks && { input: hooks.input.map(nameOf), output: hooks.output.map(nameOf) };

describe('the hooks of a target', () => {
  test.for<{ rule: string; target: object; want: object | undefined }>([
    { rule: 'are those of its parent', target: {}, want: { input: ['a'], output: ['b'] } },
    {
      rule: 'are its own in the direction that it declares',
      target: { inputGuardrails: ['c'] },
      want: { input: ['c'], output: ['b'] },
    },
    {
      rule: 'are none in a direction that it declares as empty',
      target: { outputGuardrails: [] },
      want: { input: ['a'], output: [] },
    },
    {
      rule: 'are none where it declares both as empty',
      target: { inputMutators: [], afterRequestHooks: [] },
      want: undefined,
    },
    {
      rule: 'run in the order of the members, whatever the order of the document',
      target: { inputMutators: [{ id: 'm' }, 'n'], inputGuardrails: ['g'], beforeRequestHooks: [{ id: 'h' }] },
      want: { input: ['h', 'g', 'm', 'n'], output: ['b'] },
    },
  ])('$rule', ({ target, want }) => {
    const root = { inputGuardrails: ['a'], outputGuardrails: ['b'], strategy: { mode: 'single' } };
    const [leaf] = leavesOf(compile({ ...root, targets: [{ provider: '@a', ...target }] }));
    expect(leaf && namesOf(leaf)).toEqual(want);
  });

  test('are none in a config without them', () => {
    const [leaf] = leavesOf(compile({ provider: '@a' }));
    expect(leaf?.settings.hooks).toBeUndefined();
  });

  test('say what the config sets instead of the actions of a stored guardrail', () => {
    const [leaf] = leavesOf(compile({ provider: '@a', inputGuardrails: [{ id: 'pii', deny: true, on_fail: 'log' }] }));
    expect(leaf?.settings.hooks?.input).toEqual([{ kind: 'stored', slug: 'pii', actions: { deny: true } }]);
  });

  test('that are written out are compiled, and may call what requests may name', () => {
    const [leaf] = leavesOf(compile({ provider: '@a', outputGuardrails: [{ ...WORDS, deny: true }] }));
    const [source] = leaf?.settings.hooks?.output ?? [];
    expect(source).toMatchObject({
      kind: 'inline',
      hook: { id: 'output_guardrail_1', deny: true, scope: 'request', needsFleet: false, owner: 'config' },
    });
  });

  test('stay for a request that names its own provider', () => {
    const root = { inputGuardrails: ['a'], strategy: { mode: 'single' }, targets: [{ provider: '@a' }] };
    const alone = compile(root).settingsAlone;
    expect(alone && leavesOf(alone).map(namesOf)).toEqual([{ input: ['a'], output: [] }]);
  });
});

test('a plan names the stored guardrails of all targets, in both directions and in both forms, each once', () => {
  const nested = { provider: '@b', afterRequestHooks: [{ id: 'tone', deny: true }], inputMutators: [{ id: 'mask' }] };
  const targets = [{ provider: '@a', outputGuardrails: ['pii'] }, nested];
  const plan = compile({ inputGuardrails: ['pii', WORDS], strategy: { mode: 'fallback' }, targets });
  expect(plan.guardrails).toEqual(['pii', 'mask', 'tone']);
  expect(compile({ provider: '@a' }).guardrails).toEqual([]);
});

test('the patterns of checks count in the weight of a plan', () => {
  const weigh = (...rules: string[]): number =>
    compile({ provider: '@a', inputGuardrails: rules.map((rule) => ({ regexMatch: { rule } })) }).patternBytes;
  expect(weigh()).toBe(0);
  expect(weigh('a{1,200}')).toBeGreaterThan(weigh('a'));
  expect(weigh('a', 'a')).toBe(2 * weigh('a'));
});

describe('hooks that cannot be used', () => {
  test.for([
    { fault: 'an unknown check', hook: { 'default.no': {} }, saved: false },
    { fault: 'parameters that are no longer valid', hook: { contains: {} }, saved: false },
    { fault: 'a credential in a resource', hook: { 'lakera.guard': { credentials: { apiKey: 'k' } } }, saved: true },
  ])('are never left out: $fault', ({ hook, saved }) => {
    const node = { provider: '@a', inputGuardrails: [hook] };
    const identity = saved ? { slug: 's', version: '1' } : undefined;
    expect(() => compilePlan(node, { saved: identity, credential: () => undefined })).toThrow(HooksUnusable);
  });

  test('do not show the credential that they bring', () => {
    const node = { provider: '@a', inputGuardrails: [{ 'lakera.guard': { credentials: { apiKey: 'sk-hidden' } } }] };
    const plan = compilePlan(node, { saved: undefined, credential: () => undefined });
    expect(JSON.stringify(leavesOf(plan))).not.toContain('sk-hidden');
  });
});
