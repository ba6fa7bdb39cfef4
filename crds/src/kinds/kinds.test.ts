import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { examplesOf, sampleObjects } from '../../gen/samples.ts';
import { DEFAULT_TARGET_CAPS } from '../config/index.ts';
import { formatPath } from '../schema/index.ts';
import { API_VERSION, isKindName, KINDS, type KindName, parseResource, unsupportedIn } from './index.ts';

const NAMES = Object.keys(KINDS).filter(isKindName);

const resource = (kind: KindName, spec: unknown, metadata: object = { name: 'default' }) => ({
  apiVersion: API_VERSION,
  kind,
  metadata,
  spec,
});

function issuesOf(kind: KindName, value: unknown, code?: 'invalid' | 'unsupported'): string[] {
  const result = parseResource(kind, value);
  if (result.ok) return [];
  return result.error.filter((issue) => code === undefined || issue.code === code).map(({ path }) => formatPath(path));
}

describe.for(NAMES)('%s', (kind) => {
  const examples = examplesOf(KINDS[kind]);

  test('has a valid example and at least two invalid ones', () => {
    expect(examples.filter(({ valid }) => !valid).length).toBeGreaterThanOrEqual(2);
    expect(examples[0]?.name).toBe('valid');
    expect(examples.filter(({ valid, expect: field }) => valid === (field !== undefined))).toEqual([]);
  });

  test.for(examples.filter(({ valid }) => valid))(
    'example $name is valid, and refused only where its fields are not served',
    ({ name, object }) => {
      expect(issuesOf(kind, object, 'invalid')).toEqual([]);
      const served = name !== 'valid-unsupported';
      expect(issuesOf(kind, object, 'unsupported').length > 0).toBe(!served);
    },
  );

  test.for(examples.filter(({ valid }) => !valid))(
    'example $name is refused at $expect',
    ({ object, expect: field }) => {
      expect(issuesOf(kind, object, 'invalid')).toEqual([field]);
    },
  );

  test.for(sampleObjects(KINDS[kind]))(
    'rule "$rule.message" accepts its valid samples and refuses the others',
    (sample) => {
      const found = issuesOf(kind, sample.object, 'invalid');
      expect(found).toEqual(sample.valid ? [] : [sample.expect]);
    },
  );
});

describe('a resource', () => {
  test.for([
    {
      rule: 'fills defaults in',
      kind: 'SidecarProfile',
      spec: {},
      want: { port: 8787, suspend: false, logLevel: 'info' },
    },
    {
      rule: 'fills defaults in below lists',
      kind: 'Integration',
      spec: { provider: 'openai', secretRef: { name: 's' }, models: [{ slug: 'a' }] },
      want: { models: [{ slug: 'a', enabled: true, custom: false, finetune: false }] },
    },
  ] as const)('$rule', ({ kind, spec, want }) => {
    expect(parseResource(kind, resource(kind, spec))).toMatchObject({ ok: true, value: { spec: want } });
  });

  test('says of a number that should be a text how it is written', () => {
    const usageLimits = [{ name: 'all', type: 'cost', creditLimit: 5 }];
    const parsed = parseResource('Workspace', resource('Workspace', { namespace: 'team-a', usageLimits }));
    expect(parsed).toMatchObject({
      ok: false,
      error: [{ message: 'expected a decimal number in quotes, e.g. "12.50"' }],
    });
  });

  test('leaves absent objects absent', () => {
    const spec = { type: 'workspace-service', scopes: ['completions.write'] };
    const parsed = parseResource('ApiKey', resource('ApiKey', spec));
    expect(parsed.ok && Object.keys(parsed.value.spec)).toEqual(['type', 'scopes']);
  });

  test.for([
    {
      rule: 'of another version',
      value: { ...resource('Organisation', {}), apiVersion: 'gatehouse.dev/v1' },
      want: ['apiVersion'],
    },
    { rule: 'of another kind', value: { ...resource('Organisation', {}), kind: 'Workspace' }, want: ['kind'] },
    {
      rule: 'without metadata',
      value: { apiVersion: API_VERSION, kind: 'Organisation', spec: {} },
      want: ['metadata'],
    },
    { rule: 'without a spec', value: resource('Organisation', undefined), want: ['spec'] },
    {
      rule: 'with unknown members',
      value: { ...resource('Organisation', { a: 1 }), data: {} },
      want: ['spec.a', 'data'],
    },
    { rule: 'that is no object', value: 'kind: Organisation', want: [''] },
  ])('$rule is refused', ({ value, want }) => {
    expect(issuesOf('Organisation', value)).toEqual(want);
  });

  test('keeps unknown metadata and drops unknown status', () => {
    const value = {
      ...resource('Organisation', {}, { name: 'default', creationTimestamp: null, selfLink: '/x' }),
      status: { conditions: [], observedGeneration: 1, newer: true },
    };
    expect(parseResource('Organisation', value)).toMatchObject({
      ok: true,
      value: { metadata: { selfLink: '/x' }, status: { conditions: [], observedGeneration: 1 } },
    });
    const parsed = parseResource('Organisation', value);
    expect(parsed.ok && 'newer' in (parsed.value.status ?? {})).toBe(false);
  });

  test('with endless nesting is refused without recursion', () => {
    let parameters: object = {};
    for (let i = 0; i < 20_000; i++) parameters = { parameters };
    expect(issuesOf('Guardrail', resource('Guardrail', { checks: [{ id: 'x', parameters }] }))).toEqual(['']);
  });

  test('is checked against the caps of the deployment', () => {
    const targets = Array.from({ length: 3 }, () => ({ provider: '@main' }));
    const value = resource('GatewayConfig', { config: { strategy: { mode: 'fallback' }, targets } });
    const parse = (rootTargets: number) =>
      parseResource('GatewayConfig', value, { caps: { ...DEFAULT_TARGET_CAPS, rootTargets } }).ok;
    expect([parse(3), parse(2)]).toEqual([true, false]);
  });

  test('never makes the parser throw', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NAMES),
        fc.jsonValue(),
        (kind, spec) => void parseResource(kind, resource(kind, spec)),
      ),
    );
  });
});

describe('what is not served', () => {
  test.for([
    {
      rule: 'an unknown field stays a field',
      kind: 'ApiKey',
      spec: {
        type: 'workspace-service',
        scopes: ['completions.write'],
        rateLimits: [{ type: 'requests', unit: 'rpm', value: 1 }],
      },
      want: [],
    },
    {
      rule: 'an empty list asks for nothing',
      kind: 'VirtualKey',
      spec: { provider: 'openai', secretRef: { name: 's' }, rateLimits: [] },
      want: [],
    },
  ] as const)('$rule', ({ kind, spec, want }) => {
    expect(issuesOf(kind, resource(kind, spec))).toEqual(want);
  });

  test('is found in parsed resources too', () => {
    const example = examplesOf(KINDS.ApiKey).find(({ name }) => name === 'valid-unsupported');
    expect(unsupportedIn(KINDS.ApiKey.resource.parse(example?.object))).toMatchObject([{ code: 'unsupported' }]);
  });
});
