import { formatPath } from '@gatehouse/crds';
import { KINDS } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deprecationsOf } from '../../review/index.ts';
import { objectKey, translate } from '../../translate/index.ts';
import { type TestObject, worldOf } from '../../translate/test-world.ts';
import { type AdmissionRequest, type AdmissionResponse, parseReview, toReview } from '../admission.ts';
import { reviewResource } from './validate.ts';

const object = (kind: string, place: string, spec: object, metadata: object = {}): TestObject => {
  const [namespace, name = ''] = place.includes('/') ? place.split('/') : [undefined, place];
  return {
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), generation: 1, ...metadata },
    spec,
  };
};
const LOCAL = { provider: 'ollama', customHost: 'http://ollama:11434' };
const WORLD: readonly TestObject[] = [
  object('Workspace', 'team-a', { namespace: 'a' }),
  object('Workspace', 'team-b', { namespace: 'b' }),
  object('VirtualKey', 'a/used', LOCAL),
  object('VirtualKey', 'a/idle', LOCAL),
  object('GatewayConfig', 'a/user', { config: { provider: '@used' } }),
  object('GatewayConfig', 'a/of-sidecars', { config: { provider: '@used' } }),
  object('SidecarProfile', 'a/app', { defaults: { configRef: { name: 'of-sidecars' } } }),
  object('Integration', 'gatehouse-system/shared', LOCAL),
  object('IntegrationAccess', 'gatehouse-system/shared-a', {
    integrationRef: { name: 'shared' },
    workspaceRef: { name: 'team-a' },
  }),
  object('Provider', 'a/main', { integrationRef: { name: 'shared' } }),
  object('WorkspaceMember', 'a/ada', { user: 'ada', role: 'member' }),
  object('WorkspaceMember', 'a/bob', { user: 'bob', role: 'member' }),
  object('ApiKey', 'a/of-ada', {
    type: 'workspace-user',
    user: 'ada',
    sha256: '1'.repeat(64),
    scopes: ['completions.write'],
  }),
];

const ask = (
  operation: 'CREATE' | 'UPDATE' | 'DELETE',
  given: TestObject,
  more: Partial<AdmissionRequest> = {},
): AdmissionRequest => {
  const sent = { apiVersion: 'gatehouse.dev/v1alpha1', ...given };
  const { name, namespace } = given.metadata;
  return {
    uid: 'u',
    kind: { group: 'gatehouse.dev', version: 'v1alpha1', kind: given.kind },
    operation,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    userInfo: { username: 'somebody' },
    ...(operation === 'DELETE' ? { oldObject: sent } : { object: sent }),
    ...more,
  };
};
const world = worldOf(WORLD, { settings: { fleetNamespaces: ['fleets'] } });
const now = { world, translation: translate(world) };
const review = (request: AdmissionRequest, { complete = true, terminating = false } = {}): AdmissionResponse =>
  reviewResource(request, { translatedWorld: () => (complete ? now : undefined), isTerminating: () => terminating });
const fieldsOf = (answer: AdmissionResponse) =>
  answer.allowed ? [] : (answer.causes ?? []).map(({ path }) => formatPath(path));

const BAD = object('GatewayConfig', 'a/bad', { config: { provider: 7, retry: { attempts: 'many' }, bogus: 1 } });

describe('content', () => {
  test('is refused with all problems at once', () => {
    const answer = review(ask('CREATE', BAD));
    expect(answer).toMatchObject({ allowed: false, reason: 'Invalid' });
    expect(fieldsOf(answer)).toEqual(
      expect.arrayContaining(['spec.config.provider', 'spec.config.retry.attempts', 'spec.config.bogus']),
    );
  });

  test.for([
    {
      rule: 'the slug of the other Kind',
      given: object('Provider', 'a/used', { integrationRef: { name: 'shared' } }),
      field: 'metadata.name',
    },
    {
      rule: 'the namespace of another workspace',
      given: object('Workspace', 'team-c', { namespace: 'a' }),
      field: 'spec.namespace',
    },
    {
      rule: 'the namespace of the organisation',
      given: object('Workspace', 'team-c', { namespace: 'gatehouse-system' }),
      field: 'spec.namespace',
    },
  ])('is refused for $rule', ({ given, field }) => {
    const young = { ...given, metadata: { ...given.metadata, creationTimestamp: '2020-01-01T00:00:00Z' } };
    expect(fieldsOf(review(ask('CREATE', young)))).toEqual([field]);
    expect(review(ask('CREATE', young), { complete: false })).toEqual({ allowed: true });
  });

  test('is refused for a host that the installation does not allow', () => {
    const strict = worldOf(WORLD, { settings: { allowedHosts: ['ollama'] } });
    const locked = { world: strict, translation: translate(strict) };
    const view = { translatedWorld: () => locked, isTerminating: () => false };
    const away = object('VirtualKey', 'a/away', { ...LOCAL, customHost: 'http://elsewhere.example' });
    expect(fieldsOf(reviewResource(ask('CREATE', away), view))).toEqual(['spec.customHost']);
    expect(reviewResource(ask('CREATE', object('VirtualKey', 'a/home', LOCAL)), view)).toEqual({ allowed: true });
  });

  test.for([
    {
      rule: 'a host that no gateway sends anything to',
      spec: { customHost: 'http://169.254.169.254' },
      field: 'customHost',
    },
    { rule: 'a host of the installation', spec: { customHost: 'http://x.gatehouse-system:8081' }, field: 'customHost' },
    { rule: 'a header that cannot be sent', spec: { headers: { 'x-team': 'a\r\nb: c' } }, field: 'headers.x-team' },
  ])('is refused for $rule', ({ spec, field }) => {
    const given = object('VirtualKey', 'a/away', { ...LOCAL, ...spec });
    expect(fieldsOf(review(ask('CREATE', given)))).toEqual([`spec.${field}`]);
  });

  test('is refused when it is too large to be published, with the numbers', () => {
    const targets = Array.from({ length: 80 }, () => ({
      provider: '@used',
      overrideParams: { system: 'x'.repeat(4_000) },
    }));
    const answer = review(
      ask('CREATE', object('GatewayConfig', 'a/large', { config: { strategy: { mode: 'fallback' }, targets } })),
    );
    expect(fieldsOf(answer)).toEqual(['spec']);
    expect(answer).toMatchObject({ message: expect.stringContaining('256 KiB') });
  });

  test.for([
    {
      rule: 'for a variable that is not its to set',
      spec: { env: [{ name: 'PORT', value: '1' }] },
      field: 'spec.env[0].name',
    },
    {
      rule: 'for what this version does not serve',
      spec: {
        listeners: [
          { name: 'a', port: 8787 },
          { name: 'b', port: 8080 },
        ],
      },
      field: 'spec.listeners',
    },
  ])('of a fleet is refused as its controller would, $rule', ({ spec, field }) => {
    const fleet = object('GatewayFleet', 'fleets/main', spec);
    expect(fieldsOf(review(ask('CREATE', fleet)))).toEqual([field]);
    expect(fieldsOf(review(ask('CREATE', fleet), { complete: false }))).toEqual([field]);
  });

  test.for([
    {
      rule: 'goes through with what it names',
      given: object('GatewayConfig', 'a/fine', { config: { provider: '@used' } }),
      warnings: 0,
    },
    {
      rule: 'goes through with the workspaces of a fleet',
      given: object('GatewayFleet', 'fleets/main', { workspaces: ['team-a'] }),
      warnings: 0,
    },
    {
      rule: 'goes through with a warning before the workspaces of a fleet',
      given: object('GatewayFleet', 'fleets/main', { workspaces: ['team-a', 'later'] }),
      warnings: 1,
    },
    {
      rule: 'goes through with a warning for a fleet that serves no workspace there',
      given: object('GatewayFleet', 'nowhere/main', {}),
      warnings: 1,
    },
    {
      rule: 'goes through with the config of a sidecar',
      given: object('SidecarProfile', 'a/app', { defaults: { configRef: { name: 'user' } } }),
      warnings: 0,
    },
    {
      rule: 'goes through with a warning before the config of a sidecar',
      given: object('SidecarProfile', 'a/app', { defaults: { configRef: { name: 'later' } } }),
      warnings: 1,
    },
    {
      rule: 'goes through with a warning for a sidecar in no workspace',
      given: object('SidecarProfile', 'nowhere/app', {}),
      warnings: 1,
    },
    {
      rule: 'goes through with a warning before what it names',
      given: object('GatewayConfig', 'a/early', { config: { provider: '@later' } }),
      warnings: 1,
    },
  ])('$rule', ({ given, warnings }) => {
    const answer = review(ask('CREATE', given));
    expect(answer.allowed).toBe(true);
    expect(answer.warnings ?? []).toHaveLength(warnings);
  });

  test.for([
    { rule: 'and has not read yet', readings: [], warnings: [] },
    { rule: 'and knows to be absent', readings: [['a/later', 'known']] as const, warnings: ['spec.secretRef'] },
  ])('names a Secret that no other object names $rule', ({ readings, warnings }) => {
    const asked = { ...world, secretReadings: new Map(readings) };
    const view = { translatedWorld: () => ({ ...now, world: asked }), isTerminating: () => false };
    const given = object('VirtualKey', 'a/new', { provider: 'openai', secretRef: { name: 'later', key: 'k' } });
    const answer = reviewResource(ask('CREATE', given), view);
    expect(answer.allowed).toBe(true);
    expect(answer.warnings ?? []).toEqual(warnings.map((path) => expect.stringContaining(`: ${path}: `)));
  });

  test('has no warning for a key that is about to be minted', () => {
    const minting = worldOf(WORLD, { settings: { mintsKeys: true } });
    const view = {
      translatedWorld: () => ({ world: minting, translation: translate(minting) }),
      isTerminating: () => false,
    };
    const given = object('ApiKey', 'a/app', { type: 'workspace-service', scopes: ['completions.write'] });
    expect(reviewResource(ask('CREATE', given), view)).toEqual({ allowed: true });
  });

  test.for([
    {
      rule: 'of an object that was invalid before and keeps its spec',
      request: ask('UPDATE', BAD, { oldObject: { ...BAD } }),
    },
    {
      rule: 'of an object that is being deleted',
      request: ask('UPDATE', { ...BAD, metadata: { ...BAD.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    },
    { rule: 'of a status', request: ask('UPDATE', BAD, { subResource: 'status' }) },
    {
      rule: 'of another group',
      request: ask('CREATE', BAD, { kind: { group: 'other.dev', version: 'v1', kind: 'GatewayConfig' } }),
    },
  ])('is not judged: $rule', ({ request }) => {
    expect(review(request)).toEqual({ allowed: true });
  });

  test('is refused when it changes an immutable field', () => {
    const before = { apiVersion: 'gatehouse.dev/v1alpha1', ...object('Workspace', 'team-a', { namespace: 'a' }) };
    const answer = review(ask('UPDATE', object('Workspace', 'team-a', { namespace: 'z' }), { oldObject: before }));
    expect(fieldsOf(answer)).toEqual(['spec.namespace']);
  });
});

describe('a deletion', () => {
  const find = (key: string): TestObject => {
    const found = WORLD.find(({ kind, metadata }) => `${kind}/${objectKey(metadata.namespace, metadata.name)}` === key);
    if (found === undefined) throw new Error(key);
    return found;
  };
  test.for([
    { key: 'VirtualKey/a/used', users: ['GatewayConfig/a/of-sidecars', 'GatewayConfig/a/user'] },
    { key: 'GatewayConfig/a/of-sidecars', users: ['SidecarProfile/a/app'] },
    {
      key: 'Integration/gatehouse-system/shared',
      // What workspaces call their own is not for everybody who reaches the webhook.
      users: ['IntegrationAccess/gatehouse-system/shared-a', 'resources of other namespaces'],
    },
    { key: 'VirtualKey/a/idle', users: [] },
    { key: 'GatewayConfig/a/user', users: [] },
    { key: 'IntegrationAccess/gatehouse-system/shared-a', users: [] }, // taking access away must always be possible
    { key: 'WorkspaceMember/a/ada', users: [] },
    { key: 'Workspace/team-a', users: [] },
  ])('of $key is refused while $users use it', ({ key, users }) => {
    const answer = review(ask('DELETE', find(key)));
    expect(answer.allowed).toBe(users.length === 0);
    const causes = answer.allowed ? [] : (answer.causes ?? []);
    expect(causes.map(({ message }) => message)).toEqual(users.map((user) => expect.stringContaining(user)));
  });

  const used = find('VirtualKey/a/used');
  test.for([
    { rule: 'the namespace goes', request: ask('DELETE', used), options: { terminating: true } },
    { rule: 'the caches are not complete', request: ask('DELETE', used), options: { complete: false } },
    {
      rule: 'the namespace controller asks',
      request: ask('DELETE', used, {
        userInfo: { username: 'system:serviceaccount:kube-system:namespace-controller' },
      }),
      options: {},
    },
    {
      rule: 'it has begun already',
      request: ask('DELETE', used, {
        oldObject: { ...used, metadata: { ...used.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      }),
      options: {},
    },
  ])('is never refused when $rule', ({ request, options }) => {
    expect(review(request, options)).toEqual({ allowed: true });
  });

  test('leaves the world of the review unchanged', () => {
    review(ask('DELETE', used));
    const objects = now.world.resources.get('VirtualKey');
    expect(objects?.get('a/used')).toBeDefined();
    expect(translate(now.world, now.translation).snapshot).toBe(now.translation.snapshot);
  });
});

/** As a version would that does not want the field any more. */
function markDeprecated(schema: z.core.$ZodType): Disposable {
  const before = z.globalRegistry.get(schema) ?? {};
  z.globalRegistry.add(schema, { ...before, deprecated: true });
  return { [Symbol.dispose]: () => z.globalRegistry.add(schema, before) };
}

describe('a deprecated field', () => {
  const schema = z.strictObject({
    list: z
      .array(z.strictObject({ old: z.string().optional().meta({ deprecated: true }), fresh: z.string().optional() }))
      .optional(),
  });
  test.for([
    { rule: 'is named where it is set', value: { list: [{ fresh: 'x' }, { old: 'x' }] }, count: 1 },
    { rule: 'is not named where it is not', value: { list: [{ fresh: 'x' }] }, count: 0 },
  ])('$rule', ({ value, count }) => {
    const found = deprecationsOf(schema, value, ['spec']);
    expect(found).toHaveLength(count);
    for (const line of found) expect(line).toContain('spec.list[1].old');
  });

  test('is a warning beside any answer', () => {
    using _mark = markDeprecated(KINDS.VirtualKey.spec.shape.models);
    const warnings = [expect.stringContaining('spec.models')];
    const old = object('VirtualKey', 'a/old', { ...LOCAL, models: ['m'] });
    expect(review(ask('CREATE', old))).toEqual({ allowed: true, warnings });
    const wrong = object('VirtualKey', 'a/old', { ...LOCAL, models: ['m'], bogus: 1 });
    expect(review(ask('CREATE', wrong))).toMatchObject({ allowed: false, warnings });
    expect(review(ask('CREATE', object('VirtualKey', 'a/fresh', LOCAL)))).toEqual({ allowed: true });
  });
});

describe('an AdmissionReview', () => {
  const request = ask('CREATE', BAD);
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };

  test('is read, and anything else refused', () => {
    expect(parseReview(body)).toMatchObject({ ok: true, value: { uid: 'u', operation: 'CREATE' } });
    for (const bad of [undefined, [], {}, { ...body, apiVersion: 'admission.k8s.io/v1beta1' }]) {
      expect(parseReview(bad).ok).toBe(false);
    }
  });

  test('is answered with code, causes and as many warnings as are passed on', () => {
    const warnings = Array.from({ length: 50 }, () => 'w'.repeat(1_000));
    const refusal = {
      allowed: false,
      reason: 'Invalid',
      message: 'no',
      causes: [{ reason: 'FieldValueInvalid', message: 'm', path: ['spec'] }],
      warnings,
    } as const;
    const { response } = toReview(request, refusal) as { response: { status: object; warnings: string[] } }; // as it is sent
    expect(response).toMatchObject({
      uid: 'u',
      allowed: false,
      status: { code: 422, details: { kind: 'GatewayConfig', causes: [{ field: 'spec' }] } },
    });
    expect(response.warnings.length).toBeLessThan(50);
    const { response: patched } = toReview(request, {
      allowed: true,
      patch: [{ op: 'add', path: '/spec/volumes', value: [] }],
    }) as { response: { patch: string } };
    expect(JSON.parse(Buffer.from(patched.patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/spec/volumes', value: [] },
    ]);
  });
});
