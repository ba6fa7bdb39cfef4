import { randomBytes } from 'node:crypto';
import { CONDITION_TYPES, REASONS } from '@gatehouse/crds/conditions';
import { KINDS, parseResource } from '@gatehouse/crds/kinds';
import { type AnyEntry, digestOf, readMountedCopy, SCHEMA_VERSION } from '@gatehouse/crds/snapshot';
import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { retryFrom, stall, wait } from '../../runtime/index.ts';
import { EMPTY_SNAPSHOT, type SidecarSnapshot } from '../../translate/index.ts';
import { copiesOf, digested, isOurs, isSameCopy, MAX_COPY_BYTES } from './copies.ts';
import { countPods, slimPod } from './pod-counts.ts';
import type { ProfileFleet, SidecarPod, SidecarProfileObject } from './ports.ts';
import { checkSpec, publishedMessage, resolve, tooLarge } from './steps.ts';
import { type ProfileProgress, summarise, summariseSuspended } from './summarise.ts';

const entry = (id: string, body: object): AnyEntry =>
  ({ kind: id.split('/')[0], id, workspace: 'team-a', generation: 1, digest: digestOf(body), body }) as AnyEntry; // opaque here
const snapshot = (...entries: AnyEntry[]): SidecarSnapshot => ({ schemaVersion: SCHEMA_VERSION, version: 7, entries });
const profile = (name = 'default', spec: object = {}): SidecarProfileObject => ({
  apiVersion: 'gatehouse.dev/v1alpha1',
  kind: 'SidecarProfile',
  metadata: { name, namespace: 'a', uid: `uid-${name}`, generation: 3 },
  spec,
});
const parsed = (spec: object) => unwrap(parseResource('SidecarProfile', profile('default', spec)));

const CONFIG = entry('config/team-a/plain', { slug: 'plain', version: 'v', node: {} });
const shared = (slug: string, node: object): AnyEntry => ({
  ...entry(`config//${slug}`, { slug, version: 'v', node }),
  workspace: null,
});
const CREDENTIAL = entry('credential/team-a/own', { fields: { key: 'sk-secret' } });
const given = { namespace: 'a', caPem: 'PEM', owners: [profile('b'), profile('a')] };

describe('the copies', () => {
  test('hold the Snapshot between them, and secrets in the Secret alone', () => {
    const { configMap, secret } = unwrap(copiesOf({ ...given, snapshot: snapshot(CONFIG, CREDENTIAL) }));
    const bytes = (text = ''): Buffer => Buffer.from(text, 'base64');
    const config = bytes(configMap.binaryData?.['snapshot.json.gz']);
    const frame = unwrap(readMountedCopy({ config, secret: bytes(secret.data?.['snapshot.json.gz']) }));
    expect(frame).toMatchObject({ version: 7, entries: [CONFIG, CREDENTIAL] });
    const empty = unwrap(copiesOf({ ...given, snapshot: snapshot(CREDENTIAL) })).secret.data?.['snapshot.json.gz'];
    expect(empty).toBe(secret.data?.['snapshot.json.gz']);
    expect(configMap.data).toEqual({ 'ca.crt': 'PEM' });
    for (const { metadata } of [configMap, secret]) {
      expect(metadata.ownerReferences?.map(({ uid }) => uid)).toEqual(['uid-a', 'uid-b']);
    }
  });

  test('are refused with both sizes when one of them would be too large', () => {
    const noise = randomBytes(MAX_COPY_BYTES).toString('hex');
    const result = copiesOf({ ...given, snapshot: snapshot(entry('config/team-a/x', { noise })) });
    expect(result.ok).toBe(false);
    expect(result.ok ? 0 : result.error.configBytes).toBeGreaterThan(MAX_COPY_BYTES);
    expect(result.ok ? 0 : result.error.secretBytes).toBeLessThan(1_000);
  });

  test.for([
    { rule: 'itself', change: {}, want: true },
    { rule: 'itself with what the server adds', change: { metadata: { resourceVersion: '9', uid: 'u' } }, want: true },
    { rule: 'other content', change: { data: { 'ca.crt': 'other' } }, want: false },
    { rule: 'no labels', change: { metadata: { labels: {} } }, want: false },
    { rule: 'other owners', change: { metadata: { ownerReferences: [] } }, want: false },
  ])('know $rule', ({ change, want }) => {
    const { configMap } = unwrap(copiesOf({ ...given, snapshot: snapshot(CONFIG) }));
    const metadata = { ...configMap.metadata, ...('metadata' in change ? change.metadata : {}) };
    const present = digested({ ...configMap, ...change, metadata });
    expect(isSameCopy(present, configMap)).toBe(want);
    expect(JSON.stringify(present)).not.toContain('PEM');
  });

  test('are distinguished from objects of the same name that others have made', () => {
    const { secret } = unwrap(copiesOf({ ...given, snapshot: snapshot(CONFIG) }));
    expect(isOurs(digested(secret))).toBe(true);
    const { ownerReferences: _, ...metadata } = secret.metadata;
    expect(isOurs(digested({ ...secret, metadata }))).toBe(false);
  });

  test('are not written while the Snapshot is unknown', () => {
    const { secret } = unwrap(copiesOf({ ...given, snapshot: snapshot(CONFIG) }));
    expect(isSameCopy(undefined, secret)).toBe(false);
  });
});

describe('the counts of pods', () => {
  const sidecar = { initContainers: [{ name: 'mesh' }, { name: 'gatehouse' }] };
  const pod = (over: { spec?: object; phase?: string; metadata?: object } = {}): SidecarPod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'a', annotations: { 'gatehouse.dev/injected': 'default' }, ...over.metadata },
    spec: over.spec ?? sidecar,
    status: { phase: over.phase ?? 'Running' },
  });
  test.for([
    { rule: 'counts a pod with the sidecar', given: pod(), want: { injectedPods: 1, missedPods: 0 } },
    { rule: 'misses one without the container', given: pod({ spec: {} }), want: { injectedPods: 0, missedPods: 1 } },
    {
      rule: 'misses one that was not injected',
      given: pod({ metadata: { annotations: {} } }),
      want: { injectedPods: 0, missedPods: 1 },
    },
    {
      rule: 'misses none on the host network',
      given: pod({ spec: { hostNetwork: true }, metadata: { annotations: {} } }),
      want: { injectedPods: 0, missedPods: 0 },
    },
    { rule: 'counts one that is starting', given: pod({ phase: 'Pending' }), want: { injectedPods: 1, missedPods: 0 } },
    {
      rule: 'forgets one that has ended',
      given: pod({ phase: 'Succeeded' }),
      want: { injectedPods: 0, missedPods: 0 },
    },
    {
      rule: 'forgets one that goes',
      given: pod({ metadata: { deletionTimestamp: 'x' } }),
      want: { injectedPods: 0, missedPods: 0 },
    },
  ])('$rule, also of what the cache keeps', ({ given: one, want }) => {
    expect(countPods([one])).toEqual(want);
    expect(countPods([slimPod(one)])).toEqual(want);
  });
});

describe('a step', () => {
  const view = (over: object = {}) => ({
    workspaceOf: () => 'team-a' as string | undefined,
    wantsSidecars: () => true as boolean | undefined,
    areRetired: () => false,
    fleetOf: (): ProfileFleet | undefined => ({ kind: 'none' }),
    snapshotFor: () =>
      snapshot(CONFIG, shared('shared', {}), shared('withheld', { credential: 'x' })) as SidecarSnapshot | undefined,
    ...over,
  });
  const found = { workspace: 'team-a' };
  test.for([
    {
      rule: 'needs a workspace',
      spec: {},
      over: { workspaceOf: () => undefined },
      want: { kind: 'stall', reason: 'RefNotFound' },
    },
    {
      rule: 'needs a namespace that wants sidecars',
      spec: {},
      over: { wantsSidecars: () => false, snapshotFor: () => EMPTY_SNAPSHOT },
      want: { kind: 'stall', reason: 'RefNotPermitted' },
    },
    {
      rule: 'ends where all sidecars are retired',
      spec: {},
      over: { areRetired: () => true, snapshotFor: () => EMPTY_SNAPSHOT },
      want: { kind: 'wait', reason: 'Pending', message: expect.stringContaining('uninstalled') },
    },
    {
      rule: 'waits for the first Snapshot',
      spec: {},
      over: { snapshotFor: () => undefined },
      want: { kind: 'wait', reason: 'Pending' },
    },
    {
      rule: 'waits for a Snapshot with its profile',
      spec: {},
      over: { snapshotFor: () => EMPTY_SNAPSHOT },
      want: { kind: 'wait', reason: 'Pending' },
    },
    {
      rule: 'finds a config of the workspace',
      spec: { defaults: { configRef: { name: 'plain' } } },
      over: {},
      want: found,
    },
    {
      rule: 'finds a config of the organisation',
      spec: { defaults: { configRef: { name: 'shared' } } },
      over: {},
      want: found,
    },
    {
      rule: 'misses a config that the organisation withholds',
      spec: { defaults: { configRef: { name: 'withheld' } } },
      over: {},
      want: { reason: 'RefNotFound' },
    },
    {
      rule: 'misses a config',
      spec: { defaults: { configRef: { name: 'nowhere' } } },
      over: {},
      want: { reason: 'RefNotFound' },
    },
    {
      rule: 'passes on to the fleet that serves the workspace',
      spec: {},
      over: { fleetOf: () => ({ kind: 'found', name: 'fleets/main' }) as const },
      want: { fleet: 'fleets/main' },
    },
    {
      rule: 'refuses a fleet that does not serve the workspace',
      spec: {},
      over: { fleetOf: () => ({ kind: 'refused', reason: 'RefNotFound', message: 'spec.fleetRef' }) as const },
      want: { kind: 'stall', reason: 'RefNotFound' },
    },
    {
      rule: 'refuses a fleet that cannot know its pods',
      spec: {},
      over: { fleetOf: () => ({ kind: 'refused', reason: 'AccessDenied', message: 'spec.fleetRef' }) as const },
      want: { kind: 'stall', reason: 'AccessDenied' },
    },
    {
      rule: 'waits for the address of a fleet',
      spec: {},
      over: { fleetOf: () => ({ kind: 'refused', reason: 'Pending', message: 'spec.fleetRef' }) as const },
      want: { kind: 'wait', reason: 'Pending' },
    },
  ])('$rule', ({ spec, over, want }) => {
    expect(resolve(parsed(spec), view(over))).toMatchObject(want);
  });

  test('names each problem of a spec, and what sidecars refuse', () => {
    const issues = [{ code: 'invalid' as const, path: ['spec', 'port'], message: 'no' }];
    expect(checkSpec(issues)).toMatchObject({
      kind: 'stall',
      reason: 'Invalid',
      message: expect.stringContaining('spec.port'),
    });
    expect(checkSpec([])).toMatchObject({ kind: 'done' });
    const resolved = { workspace: 'team-a', snapshot: snapshot(), fleet: undefined };
    expect(publishedMessage(resolved, ['Provider/main'])).toMatch(/refuse .*Provider\/main/);
    expect(publishedMessage({ ...resolved, fleet: 'fleets/main' }, ['Provider/main'])).toMatch(
      /fleets\/main .*Provider\/main/,
    );
    expect(tooLarge({ configBytes: 2_048_000, secretBytes: 1 })).toMatchObject({
      kind: 'stall',
      message: expect.stringContaining('2000 KiB'),
    });
  });
});

describe('a status', () => {
  const podCounts = { injectedPods: 2, missedPods: 0 };
  const all = new Map([
    ['Accepted', { reason: 'Accepted', message: 'a' }],
    ['ResolvedRefs', { reason: 'ResolvedRefs', message: 'b' }],
    ['Programmed', { reason: 'Programmed', message: 'c' }],
  ] as const);
  const before = summarise(profile(), { passed: all, podCounts, version: 7 });
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const READY_BEFORE = {
    ...before,
    conditions: (before.conditions ?? []).map((one) => ({ ...one, lastTransitionTime })),
  };
  const row = (progress: Partial<ProfileProgress>) =>
    summarise(profile(), { passed: new Map(), podCounts, ...progress });
  test.for([
    { rule: 'is ready at the end', status: row({ passed: all, version: 7 }), ready: 'True', more: [], observed: 3 },
    {
      rule: 'is stalled where a person is needed',
      status: row({ halt: { ...stall('RefNotFound', 'x'), proves: 'ResolvedRefs' } }),
      ready: 'False',
      more: ['Stalled'],
      observed: 3,
    },
    {
      rule: 'is on its way while something is waited for',
      status: row({ halt: { ...wait('Pending', 'x', { afterMs: 1 }), proves: 'ResolvedRefs' } }),
      ready: 'Unknown',
      more: ['Reconciling'],
      observed: 0,
    },
    {
      rule: 'is on its way while a call fails',
      status: row({ halt: { ...retryFrom(new Error('boom')), proves: 'Programmed' } }),
      ready: 'Unknown',
      more: ['Reconciling'],
      observed: 0,
    },
    {
      rule: 'is open while suspended from the beginning',
      status: summariseSuspended(profile(), podCounts),
      ready: 'Unknown',
      more: [],
      observed: 3,
    },
    {
      rule: 'is what it was while suspended',
      status: summariseSuspended({ ...profile(), status: READY_BEFORE }, podCounts),
      ready: 'True',
      more: [],
      observed: 3,
    },
  ])('$rule', ({ status, ready, more, observed }) => {
    const { conditions = [] } = status;
    expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe(ready);
    expect(conditions.map(({ type }) => type)).toEqual(['Accepted', 'ResolvedRefs', 'Programmed', 'Ready', ...more]);
    expect(status).toMatchObject({ observedGeneration: observed, injectedPods: 2 });
    for (const { type, reason } of conditions) {
      expect(CONDITION_TYPES).toContain(type);
      expect(Object.keys(REASONS)).toContain(reason);
    }
    const dated = {
      ...status,
      conditions: conditions.map((one) => ({ ...one, lastTransitionTime: '2026-01-01T00:00:00Z' })),
    };
    expect(KINDS.SidecarProfile.status.safeParse(dated).success).toBe(true);
  });
});
