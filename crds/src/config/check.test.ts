import { describe, expect, test } from 'vitest';
import { formatPath } from '../schema/index.ts';
import { type CheckOptions, checkConfig, managedSlugOf, modelSlugOf, walkTargets } from './check.ts';
import { DEFAULT_TARGET_CAPS, MAX_CONFIG_DEPTH } from './limits.ts';
import type { RoutingNode } from './node.ts';

const SAVED: CheckOptions = { caps: DEFAULT_TARGET_CAPS, saved: true };
const INLINE: CheckOptions = { ...SAVED, saved: false };

const issuesOf = (root: RoutingNode, options = SAVED): string[] =>
  checkConfig(root, options).map(({ code, path }) => `${code} ${formatPath(path)}`);

const MAIN: RoutingNode = { provider: '@main' };
const many = (count: number): RoutingNode[] => Array.from({ length: count }, () => MAIN);
const fallback = (targets: RoutingNode[]): RoutingNode => ({ strategy: { mode: 'fallback' }, targets });
const nested = (levels: number): RoutingNode => (levels === 0 ? MAIN : fallback([nested(levels - 1)]));
const leaf = (node: RoutingNode): RoutingNode => fallback([node]);
const conditional = (strategy: object, targets: RoutingNode[] = [{ ...MAIN, name: 'a' }]): RoutingNode => ({
  strategy: { mode: 'conditional', ...strategy },
  targets,
});
const when = (then: string, query: Record<string, unknown> = {}) => ({ query, then });

describe('a config is accepted', () => {
  const { rootTargets, conditionalRootTargets, nestedTargets } = DEFAULT_TARGET_CAPS;
  test.for<{ rule: string; root: RoutingNode; options?: CheckOptions }>([
    { rule: 'when the root leaves the provider to the request', root: { retry: { attempts: 1 } } },
    { rule: 'when a leaf names a managed provider', root: leaf({ provider: '@main/gpt-4o' }) },
    { rule: 'when a leaf names a virtual key', root: leaf({ virtualKey: 'main' }) },
    { rule: 'when a leaf takes the provider from the request', root: leaf({ passthrough: true }) },
    { rule: 'when a model override names the provider', root: leaf({ overrideParams: { model: '@main/gpt-4o' } }) },
    { rule: 'with a literal key', root: leaf({ provider: 'openai', apiKey: 'sk' }) },
    { rule: 'with a credential entry', root: leaf({ provider: 'openai', credential: 'c' }) },
    { rule: 'with a host of its own and no key', root: leaf({ provider: 'openai', customHost: 'http://vllm/v1' }) },
    { rule: 'with a forwarded authorization', root: leaf({ provider: 'openai', forwardHeaders: ['authorization'] }) },
    { rule: 'for a provider without credentials', root: leaf({ provider: 'ollama', customHost: 'http://ollama' }) },
    {
      rule: 'when the secret of a provider fills a required group',
      root: leaf({ provider: 'vertex-ai', credential: 'c', settings: { vertex_region: 'europe-west4' } }),
    },
    {
      rule: 'when settings alone authenticate',
      root: leaf({ provider: 'bedrock', settings: { aws_role_arn: 'arn:aws:iam::1:role/r' } }),
    },
    {
      rule: 'with one weight above zero',
      root: { strategy: { mode: 'loadbalance' }, targets: [{ ...MAIN, weight: 0 }, MAIN] },
    },
    { rule: 'at the cap of root targets', root: fallback(many(rootTargets)) },
    {
      rule: 'at the cap of conditional root targets',
      root: conditional({ conditions: [when('a')], default: 'a' }, [
        { ...MAIN, name: 'a' },
        ...many(conditionalRootTargets - 1),
      ]),
    },
    { rule: 'at the cap of nested targets', root: fallback([fallback(many(nestedTargets))]) },
    { rule: 'at the deepest level', root: nested(MAX_CONFIG_DEPTH + 1) },
    { rule: 'without a default when it is inline', root: conditional({ conditions: [when('a')] }), options: INLINE },
    {
      rule: 'with status codes beside the strategy when it is inline',
      root: { ...MAIN, onStatusCodes: [500] },
      options: INLINE,
    },
    {
      rule: 'with the same name at different places of the tree',
      root: fallback([
        { ...MAIN, name: 'a' },
        { name: 'b', ...fallback([{ ...MAIN, name: 'a' }]) },
      ]),
    },
    { rule: 'with an empty list of guardrails', root: { ...MAIN, inputGuardrails: [] } },
  ])('$rule', ({ root, options }) => {
    expect(issuesOf(root, options)).toEqual([]);
  });
});

describe('a config is refused', () => {
  const { rootTargets, conditionalRootTargets, nestedTargets } = DEFAULT_TARGET_CAPS;
  test.for<{ rule: string; root: RoutingNode; want: string[] }>([
    { rule: 'for targets without a strategy', root: { targets: [MAIN] }, want: ['invalid strategy'] },
    {
      rule: 'for members of a strategy that its mode does not read',
      root: {
        strategy: { mode: 'single', onStatusCodes: [500], default: 'a', sticky: { enabled: true } },
        targets: [MAIN],
      },
      want: ['invalid strategy.default', 'invalid strategy.onStatusCodes', 'invalid strategy.sticky'],
    },
    {
      rule: 'for status codes beside the strategy',
      root: leaf({ ...MAIN, onStatusCodes: [500] }),
      want: ['invalid targets[0].onStatusCodes'],
    },
    {
      rule: 'for a strategy without targets',
      root: { strategy: { mode: 'single' } },
      want: ['invalid targets'],
    },
    {
      rule: 'for weights that are all zero',
      root: { strategy: { mode: 'loadbalance' }, targets: [{ ...MAIN, weight: 0 }] },
      want: ['invalid targets'],
    },
    { rule: 'for missing conditions', root: conditional({ default: 'a' }), want: ['invalid strategy.conditions'] },
    {
      rule: 'for empty conditions',
      root: conditional({ conditions: [], default: 'a' }),
      want: ['invalid strategy.conditions'],
    },
    {
      rule: 'for a missing default',
      root: conditional({ conditions: [when('a')] }),
      want: ['invalid strategy.default'],
    },
    {
      rule: 'for names that do not exist',
      root: conditional({ conditions: [when('b')], default: 'c' }),
      want: ['invalid strategy.conditions[0].then', 'invalid strategy.default'],
    },
    {
      rule: 'for a query that cannot be read',
      root: conditional({ conditions: [when('a', { 'params.x': { $like: 1 } })], default: 'a' }),
      want: ['invalid strategy.conditions[0].query.params.x.$like'],
    },
    {
      rule: 'for a drop path that cannot be read',
      root: { ...MAIN, dropParams: ['ok', 'a['] },
      want: ['invalid dropParams[1]'],
    },
    { rule: 'for a target that leads nowhere', root: leaf({ retry: { attempts: 1 } }), want: ['invalid targets[0]'] },
    {
      rule: 'for a vendor model that looks like a slug',
      root: leaf({ overrideParams: { model: '@cf/meta/x' } }),
      want: ['invalid targets[0]'],
    },
    {
      rule: 'for an unknown provider',
      root: leaf({ provider: 'opnai', apiKey: 'x' }),
      want: ['invalid targets[0].provider'],
    },
    {
      rule: 'for a provider without a credential',
      root: leaf({ provider: 'openai' }),
      want: ['invalid targets[0].provider'],
    },
    {
      rule: 'for missing provider fields, all of them',
      root: leaf({ provider: 'azure-openai', apiKey: 'k' }),
      want: ['invalid targets[0]', 'invalid targets[0]'],
    },
    {
      rule: 'for targets beside each other with the same name',
      root: fallback([
        { ...MAIN, name: 'a' },
        { ...MAIN, name: 'b' },
        { ...MAIN, name: 'a' },
      ]),
      want: ['invalid targets[2].name'],
    },
    { rule: 'above the cap of root targets', root: fallback(many(rootTargets + 1)), want: ['invalid targets'] },
    {
      rule: 'above the cap of conditional root targets',
      root: conditional({ conditions: [when('a')], default: 'a' }, many(conditionalRootTargets + 1)),
      want: ['invalid targets'],
    },
    {
      rule: 'above the cap of nested targets, all descendants counted',
      root: fallback([fallback([fallback(many(nestedTargets))])]),
      want: ['invalid targets[0]'],
    },
    { rule: 'for too many levels', root: nested(MAX_CONFIG_DEPTH + 2), want: ['invalid targets[0]'] },
    {
      rule: 'with a semantic cache that has no model',
      root: { ...MAIN, cache: { mode: 'semantic' } },
      want: ['invalid cache.embeddingModel'],
    },
    {
      rule: 'with a semantic cache whose model is of no account',
      root: { ...MAIN, cache: { mode: 'semantic', embeddingModel: 'text-embedding-3-small' } },
      want: ['invalid cache.embeddingModel'],
    },
    {
      rule: 'with settings of the semantic cache for the other mode',
      root: { ...MAIN, cache: { mode: 'simple', embeddingModel: '@a/m', similarityPercent: 99 } },
      want: ['invalid cache.embeddingModel', 'invalid cache.similarityPercent'],
    },
    {
      rule: 'with a semantic cache is accepted',
      root: { ...MAIN, cache: { mode: 'semantic', embeddingModel: '@a/m', similarityPercent: 90 } },
      want: [],
    },
  ])('$rule', ({ root, want }) => {
    expect(issuesOf(root)).toEqual(want);
  });

  test.for([
    { rule: 'a provider', root: leaf({ provider: 'opnai', apiKey: 'x' }), want: 'did you mean openai?' },
    {
      rule: 'a target of a condition',
      root: conditional({ conditions: [when('cheep')], default: 'cheap' }, [{ ...MAIN, name: 'cheap' }]),
      want: 'did you mean cheap?',
    },
    {
      rule: 'a default target',
      root: conditional({ conditions: [when('cheap')], default: 'chaep' }, [{ ...MAIN, name: 'cheap' }]),
      want: 'did you mean cheap?',
    },
  ])('with the nearest name for $rule', ({ root, want }) => {
    expect(checkConfig(root, SAVED)).toEqual([expect.objectContaining({ message: expect.stringContaining(want) })]);
  });

  test('with caps changed by the deployment', () => {
    const caps = { ...DEFAULT_TARGET_CAPS, rootTargets: 2 };
    expect(issuesOf(fallback(many(3)), { caps, saved: true })).toEqual(['invalid targets']);
  });
});

describe('the managed provider of a node', () => {
  test.for([
    { node: { provider: '@main' }, want: 'main' },
    { node: { provider: '@main/gpt-4o' }, want: 'main' },
    { node: { provider: 'openai', virtualKey: 'old' }, want: 'old' },
    { node: { overrideParams: { model: '@main/gpt-4o' } }, want: 'main' },
    { node: { overrideParams: { model: 'gpt-4o' } }, want: undefined },
    { node: { overrideParams: { model: 7 } }, want: undefined },
    { node: {}, want: undefined },
  ])('of $node is $want', ({ node, want }) => {
    expect(managedSlugOf(node)).toBe(want);
  });

  test.for([
    { model: '@main/a/b', want: 'main' },
    { model: '@cf/meta/x', want: undefined },
    { model: '@hf/meta/x', want: undefined },
    { model: '@main', want: undefined },
    { model: '@/x', want: undefined },
    { model: 'main/x', want: undefined },
  ])('of model $model is $want', ({ model, want }) => {
    expect(modelSlugOf(model)).toBe(want);
  });
});

test('a walk visits parents before targets and gives their paths', () => {
  const seen: string[] = [];
  walkTargets(fallback([MAIN, fallback([MAIN])]), ['config'], (_, path) => void seen.push(formatPath(path)));
  expect(seen).toEqual(['config', 'config.targets[0]', 'config.targets[1]', 'config.targets[1].targets[0]']);
});

describe('guardrails that are written out', () => {
  const hook = (parameters: object) => ({ checks: [{ id: 'default.webhook', parameters: { ...URL, ...parameters } }] });
  const URL = { webhookURL: 'https://hooks.example.com' };
  const problems = (item: Record<string, unknown>, options: CheckOptions) =>
    checkConfig({ ...MAIN, outputGuardrails: [item] }, options).map(({ path }) => formatPath(path));

  test.for([
    {
      what: 'a credential',
      item: { 'lakera.guard': { credentials: { apiKey: 'k' } } },
      at: /lakera\.guard.*credentials$/,
    },
    {
      what: 'a parameter that may be secret',
      item: hook({ headers: { authorization: 'k' } }),
      at: /parameters\.headers$/,
    },
  ])('bring $what in the config of a request, and not in a saved one', ({ item, at }) => {
    expect(problems(item, INLINE)).toEqual([]);
    expect(problems(item, SAVED)).toEqual([expect.stringMatching(at)]);
    expect(problems(hook({}), SAVED)).toEqual([]);
  });
});
