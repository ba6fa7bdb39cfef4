import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPath } from '../schema/index.ts';
import type { CheckOptions } from './check.ts';
import { parseInlineConfig } from './inline.ts';
import { DEFAULT_TARGET_CAPS } from './limits.ts';
import { snakeKeys } from './spelling.ts';
import { inlineConfig } from './target.ts';

const OPTIONS: CheckOptions = { caps: DEFAULT_TARGET_CAPS, saved: false };
const parse = (input: unknown) => parseInlineConfig(input, OPTIONS);
const pathsOf = (input: unknown): string[] => {
  const result = parse(input);
  return result.ok ? [] : result.error.map(({ path }) => formatPath(path));
};

const when = (then: string, query: object) => ({ query, then });

describe('an inline config', () => {
  test.for([
    {
      rule: 'reads snake_case at every typed node',
      input: {
        strategy: {
          mode: 'loadbalance',
          sticky: { enabled: true, hash_fields: ['metadata.u'] },
          cb_config: { failure_threshold: 2 },
        },
        targets: [{ virtual_key: 'a' }],
      },
      want: {
        strategy: {
          mode: 'loadbalance',
          sticky: { enabled: true, hashFields: ['metadata.u'] },
          cbConfig: { failureThreshold: 2 },
        },
        targets: [{ virtualKey: 'a' }],
      },
    },
    {
      rule: 'reads camelCase as well, mixed',
      input: { requestTimeout: 5, retry: { attempts: 1, onStatusCodes: [500], use_retry_after_header: true } },
      want: { requestTimeout: 5, retry: { attempts: 1, onStatusCodes: [500], useRetryAfterHeader: true } },
    },
    {
      rule: 'leaves opaque nodes as they are',
      input: {
        override_params: { max_tokens: 1, responseFormat: {} },
        strategy: {
          mode: 'conditional',
          conditions: [when('x', { 'metadata.user_plan': { $in: ['a_b'] } })],
        },
        targets: [{ name: 'x', virtual_key: 'v' }],
      },
      want: {
        overrideParams: { max_tokens: 1, responseFormat: {} },
        strategy: {
          mode: 'conditional',
          conditions: [when('x', { 'metadata.user_plan': { $in: ['a_b'] } })],
        },
        targets: [{ name: 'x', virtualKey: 'v' }],
      },
    },
    {
      rule: 'takes slugs of mutators as it takes those of guardrails',
      input: { virtual_key: 'v', input_mutators: ['mask'], output_mutators: [{ id: 'mask' }] },
      want: { virtualKey: 'v', inputMutators: ['mask'], outputMutators: [{ id: 'mask' }] },
    },
    { rule: 'takes a bare word as cache mode', input: { cache: 'simple' }, want: { cache: { mode: 'simple' } } },
    { rule: 'takes the old cache switch', input: { cache: true }, want: { cache: { mode: 'simple' } } },
    { rule: 'takes no cache', input: { cache: false, retry: { attempts: 0 } }, want: { retry: { attempts: 0 } } },
    {
      rule: 'takes the other name of the retry flag, in targets too',
      input: {
        strategy: { mode: 'single' },
        targets: [{ virtual_key: 'v', retry: { attempts: 1, use_retry_after_headers: true } }],
      },
      want: {
        strategy: { mode: 'single' },
        targets: [{ virtualKey: 'v', retry: { attempts: 1, useRetryAfterHeader: true } }],
      },
    },
    {
      rule: 'keeps vendor fields as text under settings, in catalogue spelling',
      input: {
        provider: 'vertex-ai',
        vertexRegion: 'eu',
        vertex_service_account_json: { project_id: 'p' },
        some_flag: true,
      },
      want: {
        provider: 'vertex-ai',
        settings: { vertex_region: 'eu', vertex_service_account_json: '{"project_id":"p"}', some_flag: 'true' },
      },
    },
    {
      rule: 'keeps the literal key apart',
      input: { provider: 'openai', api_key: 'sk' },
      want: { provider: 'openai', apiKey: 'sk' },
    },
    {
      rule: 'takes a status twice',
      input: { retry: { attempts: 1, on_status_codes: [429, 429] } },
      want: { retry: { attempts: 1, onStatusCodes: [429, 429] } },
    },
    { rule: 'takes nothing', input: {}, want: {} },
  ])('$rule', ({ input, want }) => {
    expect(parse(input)).toEqual({ ok: true, value: want });
  });

  test.for([
    { rule: 'anything but an object', input: 'pc-x', want: [''] },
    { rule: 'an unknown mode', input: { strategy: { mode: 'random' } }, want: ['strategy.mode'] },
    { rule: 'negative retries', input: { retry: { attempts: -1 } }, want: ['retry.attempts'] },
    {
      rule: 'a negative weight',
      input: { strategy: { mode: 'loadbalance' }, targets: [{ virtual_key: 'a', weight: -1 }] },
      want: ['targets[0].weight'],
    },
    {
      rule: 'a bad sticky field',
      input: {
        strategy: { mode: 'loadbalance', sticky: { enabled: true, hash_fields: ['user'] } },
        targets: [{ virtual_key: 'a' }],
      },
      want: ['strategy.sticky.hash_fields[0]'],
    },
    {
      rule: 'an unknown member of a closed node',
      input: { retry: { attempts: 1, backoff: 2 } },
      want: ['retry.backoff'],
    },
    {
      rule: 'several things at once, in wire spelling',
      input: { request_timeout: 'x', retry: { attempts: 1, onStatusCodes: [1] } },
      want: ['retry.on_status_codes[0]', 'request_timeout'],
    },
    {
      rule: 'a vendor field that nothing reads',
      input: {
        ...{ provider: 'vertex-ai', apiKey: 'k', vertexProjectId: 'p', vertexRegion: 'r' },
        vertexSkipPtuCostAttribution: 'true',
      },
      want: ['vertex_skip_ptu_cost_attribution'],
    },
    {
      rule: 'targets beside each other with the same name',
      input: {
        strategy: { mode: 'fallback' },
        targets: [
          { name: 'a', virtual_key: 'v' },
          { name: 'a', virtual_key: 'w' },
        ],
      },
      want: ['targets[1].name'],
    },
    { rule: 'empty targets', input: { strategy: { mode: 'single' }, targets: [] }, want: ['targets'] },
    { rule: 'what the shared checks refuse', input: { drop_params: ['a['] }, want: ['drop_params[0]'] },
  ])('is refused for $rule', ({ input, want }) => {
    expect(pathsOf(input)).toEqual(want);
  });

  test('names a wrong member and a wrong value in wire spelling', () => {
    const result = parse({ retry: { attempts: 1, on_status_code: [500] }, strategy: { mode: 'falback' } });
    const messages = result.ok ? [] : result.error.map(({ message }) => message);
    expect(messages.toSorted()).toEqual([
      'expected one of single, loadbalance, fallback, conditional; did you mean fallback?',
      'unknown field; did you mean on_status_codes?',
    ]);
  });

  test('is refused without recursion when it is nested without end', () => {
    const deep = (levels: number, wrap: (inner: object) => object): object => {
      let value: object = {};
      for (let i = 0; i < levels; i++) value = wrap(value);
      return value;
    };
    expect(pathsOf(deep(20_000, (inner) => ({ targets: [inner] })))).toEqual(['']);
    expect(pathsOf({ vendor: deep(20_000, (inner) => [inner]) })).toEqual(['']);
  });

  test('keeps a bounded number of vendor fields', () => {
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field_${i}`, 'x']));
    const result = parse({ provider: 'openai', api_key: 'k', ...fields });
    expect(Object.keys(result.ok ? (result.value.settings ?? {}) : {})).toHaveLength(64);
  });

  test('reads names of the prototype as vendor fields without harm', () => {
    const result = parse(JSON.parse('{"__proto__": {"polluted": true}, "constructor": "x"}'));
    expect(result.ok).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const codes = fc.array(fc.integer({ min: 100, max: 599 }), { maxLength: 4 });
const members = {
  virtualKey: fc.constantFrom('vk_one', 'vkTwo'),
  weight: maybe(fc.double({ min: 0.1, max: 5, noNaN: true })),
  overrideParams: maybe(fc.dictionary(fc.constantFrom('max_tokens', 'topP', 'nested_thing'), fc.jsonValue())),
  retry: maybe(
    fc.record({ attempts: fc.nat(5), onStatusCodes: maybe(codes), useRetryAfterHeader: maybe(fc.boolean()) }),
  ),
  cache: maybe(fc.record({ mode: fc.constant('simple'), maxAge: maybe(fc.nat(9999)) })),
  requestTimeout: maybe(fc.nat(60_000)),
  dropParams: maybe(fc.constant(['a_b.cD'])),
  strictOpenAiCompliance: maybe(fc.boolean()),
  deployments: maybe(fc.constant([{ deploymentId: 'd', apiVersion: 'v', isDefault: true }])),
};
const sticky = fc.record({ enabled: fc.boolean(), hashFields: maybe(fc.constant(['metadata.user_id'])) });
const cbConfig = fc.record({ failureThreshold: fc.integer({ min: 1, max: 9 }), failureStatusCodes: maybe(codes) });
const strategyOf = fc.record({
  mode: fc.constantFrom('single', 'loadbalance', 'fallback'),
  onStatusCodes: maybe(codes),
  sticky: maybe(sticky),
  cbConfig: maybe(cbConfig),
});
const named = (targets: readonly object[]): object[] => targets.map((target, i) => ({ ...target, name: `n_${i}` }));
const { node: config } = fc.letrec<{ node: object }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record(members),
    fc.record({
      ...members,
      strategy: strategyOf,
      targets: fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map(named),
    }),
  ),
}));

test('both spellings of a config give the same node', () => {
  fc.assert(
    fc.property(config, (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      const camel = parse(plain);
      expect(camel.ok).toBe(true);
      expect(parse(snakeKeys(inlineConfig, plain))).toEqual(camel);
    }),
  );
});
