import { parseResource, type SidecarProfile } from '@gatehouse/crds/kinds';
import { goldenCases, unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AdmissionRequest } from '../admission.ts';
import { inject } from './inject.ts';
import { patchOf } from './patch.ts';
import type { Pod } from './pod.ts';
import { reviewPod } from './review.ts';
import { selects } from './selects.ts';

const OPTIONS = {
  image: 'registry.example/gatehouse-gateway:1',
  snapshotServiceUrl: 'https://gatehouse-operator.gatehouse-system.svc:9090',
};

const profileOf = (spec: unknown = {}, name = 'default'): SidecarProfile =>
  unwrap(
    parseResource('SidecarProfile', {
      apiVersion: 'gatehouse.dev/v1alpha1',
      kind: 'SidecarProfile',
      metadata: { name, namespace: 'team-a' },
      spec,
    }),
  );

const podOf = (labels: Record<string, string> = {}, spec: Partial<Pod['spec']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'app', labels },
  spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
});

describe('a pod with a profile', () => {
  test.for(goldenCases(new URL('./testdata/', import.meta.url)))('becomes $name', (golden) => {
    const pod = golden.given['pod'] as Pod; // a test fixture
    const injection = inject(pod, profileOf(golden.given['profile']), OPTIONS);
    golden.check('result', injection);
  });

  test('runs exactly the image that the profile names by its digest', () => {
    const image = `registry.example/gateway@sha256:${'5'.repeat(64)}`;
    const injection = inject(podOf(), profileOf({ image }), OPTIONS);
    if (injection.kind !== 'patched') throw new Error('expected a sidecar');
    const { initContainers = [], containers } = injection.pod.spec;
    expect([...initContainers, ...containers].map((container) => container['image'])).toEqual([image, 'app:1']);
  });

  test('has the settings of memory that the profile names', () => {
    const own = { name: 'MALLOC_MMAP_THRESHOLD_', value: '2097152' };
    const injection = inject(podOf(), profileOf({ env: [own] }), OPTIONS);
    if (injection.kind !== 'patched') throw new Error('expected a sidecar');
    const { env = [] } = injection.pod.spec.initContainers?.[0] ?? {};
    expect(env.filter(({ name }) => name.startsWith('MALLOC_'))).toEqual([
      own,
      { name: 'MALLOC_TRIM_THRESHOLD_', value: '1048576' },
    ]);
  });

  test('is the same after a second time, whatever it was', () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/).filter((text) => text !== 'gatehouse');
    const variable = fc.constantFrom('OPENAI_BASE_URL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OTHER');
    const container = fc.record({
      name,
      env: fc.uniqueArray(variable).map((names) => names.map((called) => ({ name: called, value: 'own' }))),
    });
    const containers = fc.array(container, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(containers, containers, (apps, inits) => {
        const pod = podOf({}, { containers: apps, initContainers: inits });
        const once = inject(pod, profileOf(), OPTIONS);
        if (once.kind !== 'patched') throw new Error('expected a sidecar');
        expect(inject(once.pod, profileOf(), OPTIONS)).toMatchObject({ kind: 'patched', pod: once.pod });
        expect(patchOf(once.pod, once.pod)).toEqual([]);
        expect(once.pod.spec.initContainers?.[0]?.name).toBe('gatehouse');
        for (const [i, { env }] of apps.entries())
          expect(once.pod.spec.containers[i]?.env).toEqual(expect.arrayContaining(env));
      }),
    );
  });
});

describe('a review of a pod', () => {
  const PROFILES = [profileOf({}, 'default'), profileOf({ selector: { matchLabels: { tier: 'web' } } }, 'web')];
  const review = (pod: Pod, { workspace = 'team-a', operation = 'CREATE', retired = false, range = '' } = {}) => {
    const kind = { group: '', version: 'v1', kind: 'Pod' };
    const request = { uid: 'u', kind, operation, namespace: 'team-a', userInfo: { username: 'u' }, object: pod };
    const view = {
      profilesIn: () => PROFILES,
      workspaceOf: () => (workspace === '' ? undefined : workspace),
      userRangeOf: () => range,
      areRetired: () => retired,
    };
    return reviewPod(request as AdmissionRequest, view, OPTIONS); // as the API server sends it
  };
  const named = (name: string) => ({ 'gatehouse.dev/sidecar': name });

  test.for([
    { rule: 'takes the profile that is named', pod: podOf(named('default')), want: 'default' },
    { rule: 'takes the profile that selects', pod: podOf({ tier: 'web' }), want: 'web' },
    { rule: 'goes by the name before any selector', pod: podOf({ tier: 'web', ...named('default') }), want: 'default' },
    { rule: 'leaves others alone', pod: podOf({ tier: 'db' }), want: undefined },
  ])('$rule', ({ pod, want }) => {
    const answer = review(pod);
    const patch = answer.allowed ? (answer.patch ?? []) : [];
    const annotations = patch.find(({ path }) => path === '/metadata/annotations')?.value;
    expect(annotations).toEqual(want === undefined ? undefined : { 'gatehouse.dev/injected': want });
  });

  test.for([
    { rule: 'an unknown profile', pod: podOf(named('nobody')), options: {} },
    { rule: 'a namespace of no workspace', pod: podOf(named('default')), options: { workspace: '' } },
    {
      rule: 'a container that has the name of the sidecar',
      pod: podOf(named('default'), { containers: [{ name: 'gatehouse' }] }),
      options: {},
    },
  ])('refuses $rule', ({ pod, options }) => {
    expect(review(pod, options)).toMatchObject({ allowed: false, reason: 'Forbidden' });
  });

  test('takes the user from the range of the namespace', () => {
    const answer = review(podOf(named('default')), { range: '1000660000/10000' });
    const patch = answer.allowed ? (answer.patch ?? []) : [];
    const user = { runAsUser: 1_000_660_001, runAsGroup: 1_000_660_001 };
    expect(patch.find(({ path }) => path === '/spec/initContainers')?.value).toMatchObject([{ securityContext: user }]);
  });

  test('lets a pod start without a sidecar after a retirement', () => {
    const answer = review(podOf(named('default')), { retired: true });
    expect(answer).toEqual({ allowed: true, warnings: [expect.stringContaining('uninstalled')] });
  });

  test('leaves a pod alone that is there already', () => {
    expect(review(podOf(named('nobody')), { operation: 'UPDATE' })).toEqual({ allowed: true });
  });
});

describe('a selector', () => {
  const labels = { app: 'a', tier: 'web' };
  const expression = (operator: string, values?: string[], key = 'app') => ({
    matchExpressions: [{ key, operator, values }],
  });
  test.for([
    { rule: 'takes all when it is empty', selector: {}, want: true },
    { rule: 'needs equal labels', selector: { matchLabels: { app: 'b' } }, want: false },
    { rule: 'In', selector: expression('In', ['a', 'b']), want: true },
    { rule: 'In without the label', selector: expression('In', ['a'], 'none'), want: false },
    { rule: 'NotIn', selector: expression('NotIn', ['a']), want: false },
    { rule: 'NotIn without the label', selector: expression('NotIn', ['a'], 'none'), want: true },
    { rule: 'Exists', selector: expression('Exists'), want: true },
    { rule: 'DoesNotExist', selector: expression('DoesNotExist'), want: false },
    { rule: 'does not know inherited names', selector: expression('Exists', undefined, 'constructor'), want: false },
  ])('$rule', ({ selector, want }) => {
    expect(selects(selector as Parameters<typeof selects>[0], labels)).toBe(want); // rows of a table
  });
});
