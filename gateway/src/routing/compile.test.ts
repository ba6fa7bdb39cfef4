import { DEFAULT_TARGET_CAPS, parseInlineConfig, type RoutingNode } from '@gatehouse/crds/config';
import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { reveal, Secret } from '../lib/secret.ts';
import { breakerLeaves, compilePlan, type Leaf, type PlanNode, type RoutingPlan } from './index.ts';

const SAVED = { slug: 'main', version: 'v1' };
const SECRETS = new Map([['cred', new Map([['api_key', new Secret('sk')]])]]);

/** What the source of a leaf is, with its secrets in plain sight. */
function plainSource({ source }: Leaf): object {
  if (source.kind !== 'literal') return source;
  return { ...source, fields: new Map([...source.fields].map(([key, value]) => [key, reveal(value)])) };
}

const nodeOf = (document: object): RoutingNode =>
  unwrap(parseInlineConfig(document, { caps: DEFAULT_TARGET_CAPS, saved: false }));
const compile = (document: object): RoutingPlan =>
  compilePlan(nodeOf(document), { saved: SAVED, credential: (id) => SECRETS.get(id) });
const compileInline = (document: object): RoutingPlan =>
  compilePlan(nodeOf(document), { saved: undefined, credential: () => undefined });

function leavesOf(plan: RoutingPlan): Leaf[] {
  const walk = (node: PlanNode): Leaf[] => (node.kind === 'leaf' ? [node] : node.children.flatMap(walk));
  return walk(plan.root);
}
/** The first leaf of a plan. */
function leafOf(plan: RoutingPlan): Leaf {
  const [leaf] = leavesOf(plan);
  if (leaf === undefined) throw new Error('a plan without leaves');
  return leaf;
}
const single = (parent: object, child: object = { provider: '@a' }) => ({
  strategy: { mode: 'single' },
  ...parent,
  targets: [child],
});

const always = (then: string) => ({ query: {}, then });

describe('a plan', () => {
  test('knows its leaves by path, the managed providers and where its hosts come from', () => {
    const plan = compile({
      strategy: { mode: 'fallback' },
      targets: [
        { provider: '@a/model' },
        { strategy: { mode: 'loadbalance' }, targets: [{ virtual_key: 'b' }, { provider: '@a' }] },
      ],
    });
    expect(leavesOf(plan).map(({ path }) => path)).toEqual([
      'config.targets[0]',
      'config.targets[1].targets[0]',
      'config.targets[1].targets[1]',
    ]);
    expect(plan).toMatchObject({
      slugs: ['a', 'b'],
      leafCount: 3,
      hostOrigin: 'resource',
      slug: 'main',
      version: 'v1',
    });
    expect(plan).toMatchObject({ needsRequestProvider: false, hasPassthrough: false });
    expect(compile(single({}, { passthrough: true })).hasPassthrough).toBe(true);
    expect(compileInline({ provider: '@a' })).toMatchObject({ hostOrigin: 'request', slug: undefined });
  });

  test('without provider takes it from the request', () => {
    expect(compile({ retry: { attempts: 1 } })).toMatchObject({ needsRequestProvider: true, root: { path: 'config' } });
  });
});

describe('the settings alone of a plan', () => {
  const aloneOf = (document: object): Leaf => {
    const { settingsAlone } = compile(document);
    if (settingsAlone === undefined) throw new Error('the config uses the provider of the request');
    return leafOf(settingsAlone);
  };

  test('are those of its root, for the provider of a request', () => {
    const document = {
      strategy: { mode: 'loadbalance', cb_config: { failure_threshold: 1, cooldown_interval: 5 } },
      retry: { attempts: 3 },
      cache: { mode: 'simple' },
      request_timeout: 1_000,
      forward_headers: ['x-a'],
      custom_host: 'https://a.example',
      override_params: { model: 'forced', top_p: 1 },
      targets: [{ provider: '@a', retry: { attempts: 1 } }, { provider: '@b' }],
    };
    const plan = compile(document).settingsAlone;
    expect(plan).toMatchObject({ slug: 'main', slugs: [], hasBreaker: false, needsRequestProvider: true });
    const { source, path, settings } = aloneOf(document);
    expect([source, path]).toEqual([{ kind: 'request' }, 'config']);
    expect(settings).toMatchObject({
      retry: { maxRetries: 3 },
      cache: { semantic: undefined },
      requestTimeoutMs: 1_000,
      forwardHeaders: ['x-a'],
      customHost: undefined,
      shape: { overrides: { model: 'forced', top_p: 1 } },
    });
  });

  test.for<{ rule: string; target: object }>([
    { rule: 'a slug', target: { provider: '@a', azure_region: 'eu' } },
    { rule: 'a provider with its credential', target: { provider: 'openai', api_key: 'k' } },
    { rule: 'a virtual key', target: { virtual_key: 'a' } },
    { rule: 'its model', target: { override_params: { model: '@a/m', top_p: 1 } } },
  ])('leave out the account and the model of a root that names $rule', ({ target }) => {
    const own = { override_params: { model: 'm', top_p: 1 }, default_params: { model: 'm', user: 'u' } };
    const { source, overlay, settings } = aloneOf({ ...own, ...target });
    expect([source, overlay]).toEqual([{ kind: 'request' }, new Map()]);
    expect(settings.shape).toMatchObject({ overrides: { top_p: 1 }, defaults: { user: 'u' } });
  });

  test.for<{ rule: string; document: object }>([
    { rule: 'names no provider', document: { retry: { attempts: 1 } } },
    { rule: 'has a passthrough target', document: single({}, { passthrough: true }) },
  ])('do not exist where the config $rule: it uses that of the request', ({ document }) => {
    expect(compile(document).settingsAlone).toBeUndefined();
  });
});

describe('the source of a leaf', () => {
  test.for<{ rule: string; target: object; want: object }>([
    { rule: 'a slug', target: { provider: '@a' }, want: { kind: 'managed', slug: 'a' } },
    { rule: 'a virtual key', target: { virtual_key: 'a' }, want: { kind: 'managed', slug: 'a' } },
    { rule: 'a model override', target: { override_params: { model: '@a/m' } }, want: { kind: 'managed', slug: 'a' } },
    { rule: 'the request', target: { passthrough: true }, want: { kind: 'passthrough' } },
    {
      rule: 'itself',
      target: { provider: 'azure-openai', api_key: 'k', resource_name: 'r', deployment_id: 'd', api_version: 'v' },
      want: {
        kind: 'literal',
        provider: 'azure-openai',
        fields: new Map([
          ['resource_name', 'r'],
          ['deployment_id', 'd'],
          ['api_version', 'v'],
          ['api_key', 'k'],
        ]),
      },
    },
  ])('is $rule', ({ target, want }) => {
    expect(plainSource(leafOf(compile(single({}, target))))).toEqual(want);
  });

  test('holds the secret of a saved credential', () => {
    const node: RoutingNode = { provider: 'openai', credential: 'cred' };
    const plan = compilePlan(node, { saved: SAVED, credential: (id) => SECRETS.get(id) });
    expect(leafOf(plan).source).toMatchObject({ fields: new Map([['api_key', expect.any(Secret)]]) });
    expect(plainSource(leafOf(plan))).toEqual({
      kind: 'literal',
      provider: 'openai',
      fields: new Map([['api_key', 'sk']]),
    });
  });

  test('is chosen by an inherited model override, which leaves the model', () => {
    const leaf = leafOf(compile(single({ override_params: { model: '@a/m', top_p: 1 } }, { passthrough: true })));
    expect(leaf.source).toEqual({ kind: 'managed', slug: 'a' });
    expect(leaf.settings.shape.overrides).toEqual({ model: 'm', top_p: 1 });
  });

  test('keeps settings beside a slug as an overlay', () => {
    const leaf = leafOf(compile(single({}, { provider: '@a', azure_region: 'eu', api_version: 'v' })));
    expect(leaf.overlay).toEqual(
      new Map([
        ['azure_region', 'eu'],
        ['api_version', 'v'],
      ]),
    );
  });
});

describe('a child', () => {
  const settingsOf = (parent: object, child: object) =>
    leafOf(compile(single(parent, { provider: '@a', ...child }))).settings;

  test.for<{ rule: string; parent: object; child: object; want: object }>([
    {
      rule: 'adds its parameters key by key',
      parent: { override_params: { a: 1, b: 1 }, default_params: { c: 1 } },
      child: { override_params: { b: 2 }, default_params: { c: 2, d: 2 } },
      want: { shape: { overrides: { a: 1, b: 2 }, defaults: { c: 2, d: 2 } } },
    },
    {
      rule: 'replaces what is dropped',
      parent: { drop_params: ['a'] },
      child: { drop_params: ['b'] },
      want: { shape: { drops: [[{ kind: 'member', name: 'b' }]] } },
    },
    {
      rule: 'inherits what is dropped',
      parent: { drop_params: ['a'] },
      child: { override_params: { x: 1 } },
      want: { shape: { drops: [[{ kind: 'member', name: 'a' }]] } },
    },
    {
      rule: 'replaces the whole retry',
      parent: { retry: { attempts: 3, on_status_codes: [418], use_retry_after_header: true } },
      child: { retry: { attempts: 1 } },
      want: { retry: { maxRetries: 1, useRetryAfter: false, statusCodes: new Set([429, 500, 502, 503, 504, 529]) } },
    },
    {
      rule: 'inherits the retry',
      parent: { retry: { attempts: 3, on_status_codes: [418] } },
      child: {},
      want: { retry: { maxRetries: 3, statusCodes: new Set([418]) } },
    },
    {
      rule: 'retries five times at most',
      parent: {},
      child: { retry: { attempts: 99 } },
      want: { retry: { maxRetries: 5 } },
    },
    {
      rule: 'replaces the whole cache',
      parent: { cache: { mode: 'simple', max_age: 90 } },
      child: { cache: 'simple' },
      want: { cache: { maxAgeSeconds: undefined, semantic: undefined } },
    },
    {
      rule: 'finds similar prompts from 95 percent on',
      parent: {},
      child: { cache: { mode: 'semantic', embedding_model: '@a/m' } },
      want: { cache: { maxAgeSeconds: undefined, semantic: { model: '@a/m', threshold: 0.95 } } },
    },
    {
      rule: 'takes timeout, host, headers and strictness unless it has its own',
      parent: {
        request_timeout: 5,
        custom_host: 'https://a.example',
        forward_headers: ['X-A'],
        strict_open_ai_compliance: false,
      },
      child: {},
      want: { requestTimeoutMs: 5, customHost: 'https://a.example', forwardHeaders: ['x-a'], strict: false },
    },
    {
      rule: 'has its own',
      parent: {
        request_timeout: 5,
        custom_host: 'https://a.example',
        forward_headers: ['X-A'],
        strict_open_ai_compliance: false,
      },
      child: {
        request_timeout: 0,
        custom_host: 'https://b.example',
        forward_headers: [],
        strict_open_ai_compliance: true,
      },
      want: { requestTimeoutMs: 0, customHost: 'https://b.example', forwardHeaders: [], strict: true },
    },
    {
      rule: 'has defaults of its own at last',
      parent: {},
      child: {},
      want: {
        requestTimeoutMs: 0,
        customHost: undefined,
        forwardHeaders: [],
        strict: true,
        cache: undefined,
        retry: { maxRetries: 0 },
      },
    },
  ])('$rule', ({ parent, child, want }) => {
    expect(settingsOf(parent, child)).toMatchObject(want);
  });

  test('does not inherit credentials, weights or names', () => {
    const plan = compile(single({ api_key: 'parent' }, { provider: 'openai', custom_host: 'https://a.example' }));
    expect(leafOf(plan).source).toMatchObject({ fields: new Map() });
  });
});

describe('strategies', () => {
  const rootOf = (document: object) => compile(document).root;

  test('weigh 1 without a weight', () => {
    expect(
      rootOf({ strategy: { mode: 'loadbalance' }, targets: [{ provider: '@a' }, { provider: '@b', weight: 0.5 }] }),
    ).toMatchObject({ mode: 'loadbalance', weights: [1, 0.5] });
  });

  test('are sticky in saved configs only', () => {
    const sticky = { enabled: true, hash_fields: ['metadata.a.b', 'headers.X-Sess.ion', 'params.user'] };
    const document = { strategy: { mode: 'loadbalance', sticky }, targets: [{ provider: '@a' }] };
    expect(rootOf(document)).toMatchObject({
      sticky: {
        version: 'v1',
        ttlSeconds: 300,
        fields: [
          { name: 'metadata.a.b', source: 'metadata', path: ['a', 'b'] },
          { name: 'headers.X-Sess.ion', source: 'headers', path: ['x-sess.ion'] },
          { name: 'params.user', source: 'params', path: ['user'] },
        ],
      },
    });
    expect(compileInline(document).root).toMatchObject({
      sticky: undefined,
    });
    const off = { ...document, strategy: { mode: 'loadbalance', sticky: { ...sticky, enabled: false } } };
    expect(rootOf(off)).toMatchObject({ sticky: undefined });
  });

  test('find their conditional targets by name', () => {
    const root = rootOf({
      strategy: { mode: 'conditional', conditions: [always('a')], default: 'b' },
      targets: [
        { name: 'a', provider: '@a' },
        { name: 'b', provider: '@b' },
      ],
    });
    if (root.kind !== 'branch' || root.mode !== 'conditional') throw new Error('expected conditions');
    expect(root.byName.get('a')).toMatchObject({ path: 'config.targets[0]' });
    expect(root.default).toBe('b');
  });
});

describe('a circuit breaker', () => {
  const cb_config = { failure_threshold: 2, cooldown_interval: 5 };
  const breakersOf = (document: object) =>
    [...breakerLeaves(compile(document))].map(({ path, breaker }) => [path, breaker.failureThreshold]);

  test.for<{ rule: string; document: object; want: unknown[] }>([
    {
      rule: 'guards the leaves that name a managed provider',
      document: {
        strategy: { mode: 'fallback', cb_config },
        targets: [{ provider: '@a' }, { provider: 'openai', api_key: 'k' }, { virtual_key: 'b' }],
      },
      want: [
        ['config.targets[0]', 2],
        ['config.targets[2]', 2],
      ],
    },
    {
      rule: 'reaches nested strategies, which may have their own',
      document: {
        strategy: { mode: 'fallback', cb_config },
        targets: [
          { strategy: { mode: 'single' }, targets: [{ provider: '@a' }] },
          {
            strategy: { mode: 'single', cb_config: { failure_threshold: 9, cooldown_interval: 5 } },
            targets: [{ provider: '@b' }],
          },
        ],
      },
      want: [
        ['config.targets[0].targets[0]', 2],
        ['config.targets[1].targets[0]', 9],
      ],
    },
    {
      rule: 'ends at a conditional strategy, unless one below has its own',
      document: {
        strategy: { mode: 'single', cb_config },
        targets: [
          {
            strategy: { mode: 'conditional', cb_config, conditions: [always('a')], default: 'a' },
            targets: [
              { name: 'a', provider: '@a' },
              { name: 'b', strategy: { mode: 'single', cb_config }, targets: [{ provider: '@b' }] },
            ],
          },
        ],
      },
      want: [['config.targets[0].targets[1].targets[0]', 2]],
    },
    {
      rule: 'needs a cool-down',
      document: { strategy: { mode: 'single', cb_config: { failure_threshold: 1 } }, targets: [{ provider: '@a' }] },
      want: [],
    },
    {
      rule: 'needs a threshold',
      document: { strategy: { mode: 'single', cb_config: { cooldown_interval: 9 } }, targets: [{ provider: '@a' }] },
      want: [],
    },
  ])('$rule', ({ document, want }) => {
    const byPath = (a: unknown[], b: unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1);
    expect(breakersOf(document).sort(byPath)).toEqual(want);
    expect(compile(document).hasBreaker).toBe(want.length > 0);
  });

  test('is for saved configs, cools down half a minute at least and has its defaults', () => {
    const document = { strategy: { mode: 'single', cb_config }, targets: [{ provider: '@a' }] };
    expect(compileInline(document).hasBreaker).toBe(false);
    expect(leafOf(compile(document)).breaker).toEqual({
      failureThreshold: 2,
      failurePercentage: undefined,
      minimumRequests: 5,
      cooldownMs: 30_000,
      failureStatusCodes: undefined,
    });
  });
});
