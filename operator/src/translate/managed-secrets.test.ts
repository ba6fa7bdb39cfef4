/** Secrets of managers: what is fetched, where from, and what becomes of the values. */
import { expect, test } from 'vitest';
import { type TestObject, worldOf } from './test-world.ts';
import { type Translation, translate } from './translate.ts';
import type { FetchProblem, ManagedReading, SecretFetch, WorldSettings } from './types/index.ts';

const CLUSTER: Partial<WorldSettings> = { clusterDomain: 'cluster.local' };
const VAULT = { address: 'https://vault.example.com', authMethod: 'Token' };

const organisation = (spec: object = {}): TestObject => ({ kind: 'Organisation', metadata: { name: 'default' }, spec });
const reference = (spec: object, namespace = 'team-a', name = 'openai'): TestObject => ({
  kind: 'SecretReference',
  metadata: { name, namespace, generation: 1 },
  spec: { path: 'team-a/openai', ...spec },
});
const inVault = (vault: object = {}, more: object = {}) =>
  reference({ manager: 'Vault', credentialsRef: { name: 'vault' }, vault: { ...VAULT, ...vault }, ...more });
const TOKEN: TestObject = {
  kind: 'Secret',
  metadata: { name: 'vault', namespace: 'team-a' },
  stringData: { token: 'canary-token' },
};
const KEY: TestObject = {
  kind: 'VirtualKey',
  metadata: { name: 'openai', namespace: 'team-a', generation: 1 },
  spec: {
    provider: 'openai',
    secretMappings: [{ field: 'api_key', secretReferenceRef: { name: 'openai' }, key: 'key' }],
  },
};
const WORKSPACE: TestObject = { kind: 'Workspace', metadata: { name: 'team-a' }, spec: { namespace: 'team-a' } };

interface Given {
  readonly settings?: Partial<WorldSettings>;
  readonly readings?: ReadonlyMap<string, ManagedReading>;
  readonly previous?: Translation;
}

const run = (objects: readonly TestObject[], { settings = CLUSTER, readings = new Map(), previous }: Given = {}) =>
  translate({ ...worldOf([WORKSPACE, ...objects], { settings }), managedSecrets: readings }, previous);

const reasonOf = (translation: Translation, key = 'SecretReference/team-a/openai'): string => {
  const { ResolvedRefs } = translation.verdicts.find((verdict) => verdict.key === key)?.conditions ?? {};
  return `${ResolvedRefs?.reason}: ${ResolvedRefs?.message}`;
};

const readingOf = (fetch: SecretFetch | undefined, value?: Record<string, unknown>, problem?: FetchProblem) =>
  new Map<string, ManagedReading>([
    [fetch?.key ?? '', { target: fetch?.target ?? '', value: value && { kind: 'members', members: value }, problem }],
  ]);

const fieldsOf = ({ snapshot }: Translation) =>
  snapshot.entries.flatMap(({ kind, body }) => (kind === 'credential' ? [body.fields] : []));

test('a reference is fetched, and its value becomes the credential', () => {
  const objects = [organisation(), TOKEN, inVault(), KEY];
  const first = run(objects);
  expect(first.fetches).toEqual([
    {
      ...{ key: 'team-a/openai', share: 'team-a', target: expect.any(String), refreshSeconds: 300, reach: 'public' },
      credentials: { token: 'canary-token' },
      spec: { manager: 'Vault', path: 'team-a/openai', vault: { ...VAULT, mount: 'secret', engine: 'V2' } },
    },
  ]);
  expect(reasonOf(first)).toContain('Pending: spec.path: the secret of team-a/openai is not fetched yet');
  expect(reasonOf(first, 'VirtualKey/team-a/openai')).toContain('Pending');
  const fetched = run(objects, { previous: first, readings: readingOf(first.fetches[0], { key: 'sk-canary' }) });
  expect(fieldsOf(fetched)).toEqual([{ api_key: 'sk-canary' }]);
  expect(fetched.fetches[0]).toBe(first.fetches[0]);
  expect(reasonOf(fetched)).toContain('ResolvedRefs:');
  const away = run(objects, {
    previous: fetched,
    readings: readingOf(first.fetches[0], { key: 'sk-canary' }, 'TimedOut'),
  });
  expect(fieldsOf(away)).toEqual([{ api_key: 'sk-canary' }]);
  expect(reasonOf(away)).toBe(
    'SecretNotFetched: spec.path: the manager does not answer in time; the last value stays in use',
  );
  const rotated = run(objects, { previous: away, readings: readingOf(first.fetches[0], { key: 'sk-2' }) });
  expect(fieldsOf(rotated)).toEqual([{ api_key: 'sk-2' }]);
  for (const { verdicts } of [first, fetched, away, rotated])
    expect(JSON.stringify(verdicts)).not.toMatch(/canary|sk-2/);
});

test('a value of another place is not used, and the last credential stays', () => {
  const before = run([organisation(), TOKEN, inVault(), KEY]);
  const readings = readingOf(before.fetches[0], { key: 'sk-1' });
  const served = run([organisation(), TOKEN, inVault(), KEY], { previous: before, readings });
  const moved = run([organisation(), TOKEN, inVault({ mount: 'other' }), KEY], { previous: served, readings });
  expect(moved.fetches[0]?.target).not.toBe(before.fetches[0]?.target);
  expect(reasonOf(moved, 'VirtualKey/team-a/openai')).toContain('is not fetched yet');
  expect(fieldsOf(moved)).toEqual([{ api_key: 'sk-1' }]);
  expect(fieldsOf(run([organisation(), TOKEN, inVault({ mount: 'other' }), KEY], { readings }))).toEqual([]);
});

test('a member that the secret does not have is told without its content', () => {
  const objects = [organisation(), TOKEN, inVault(), KEY];
  const { fetches } = run(objects);
  const translation = run(objects, { readings: readingOf(fetches[0], { 'canary-name': 'canary' }) });
  expect(reasonOf(translation, 'VirtualKey/team-a/openai')).toContain('has no member key');
  expect(JSON.stringify(translation.verdicts)).not.toContain('canary');
});

test('a reference that was never fetched says so to its accounts', () => {
  const objects = [organisation(), TOKEN, inVault(), KEY];
  const { fetches } = run(objects);
  const translation = run(objects, { readings: readingOf(fetches[0], undefined, 'Denied') });
  expect(reasonOf(translation)).toBe('SecretNotFetched: spec.path: the manager denies access');
  expect(reasonOf(translation, 'VirtualKey/team-a/openai')).toContain('has no value: its status says why');
});

test.each([
  ['its Secret is missing', [organisation()], 'RefNotFound: spec.credentialsRef.name: the Secret vault does not exist'],
  [
    'its Secret lacks an entry',
    [organisation(), { ...TOKEN, stringData: { tokken: 'x' } }],
    'RefNotFound: spec.credentialsRef.name: the Secret vault has no entry token',
  ],
] as const)('nothing is fetched while %s', (...[, objects, reason]) => {
  const translation = run([...objects, inVault()]);
  expect(translation.fetches).toEqual([]);
  expect(reasonOf(translation)).toBe(reason);
});

test('credentials go over http only to hosts that the organisation opens', () => {
  const http = inVault({ address: 'http://vault.vault.svc:8200' });
  const refused = run([organisation(), TOKEN, http]);
  expect(refused.fetches).toEqual([]);
  expect(reasonOf(refused)).toContain('RefNotPermitted');
  const opened = run([organisation({ tenantHosts: [{ host: 'vault.vault.svc' }] }), TOKEN, http]);
  expect(opened.fetches[0]?.reach).toBe('cluster');
  const alone = run([organisation(), TOKEN, http], { settings: {} });
  expect(alone.fetches[0]?.reach).toBe('machine');
});

test('a host that nobody may call refuses the reference', () => {
  const translation = run([organisation(), TOKEN, inVault({ address: 'https://169.254.169.254' })]);
  expect(translation.fetches).toEqual([]);
  expect(translation.verdicts.find(({ kind }) => kind === 'SecretReference')?.conditions.Accepted.status).toBe('False');
});

const inAws = (more: object = {}, aws: object = {}) =>
  reference({
    manager: 'AwsSecretsManager',
    aws: { region: 'eu-central-1', authMethod: 'OwnIdentity', ...aws },
    ...more,
  });
const grant = (more: object = {}): TestObject =>
  organisation({
    operatorIdentityGrants: [
      {
        workspace: 'team-a',
        manager: 'AwsSecretsManager',
        pathPrefix: 'team-a/',
        locations: ['eu-central-1'],
        ...more,
      },
    ],
  });

test.each<[string, TestObject, TestObject]>([
  ['there is no grant', organisation(), inAws()],
  ['the grant is for another workspace', grant({ workspace: 'team-b' }), inAws()],
  ['the grant is for another manager', grant({ manager: 'Vault' }), inAws()],
  ['the region is another one', grant(), inAws({}, { region: 'us-east-1' })],
  ['the path is outside the prefix', grant(), inAws({ path: 'team-b/openai' })],
  ['the path is an ARN', grant(), inAws({ path: 'arn:aws:secretsmanager:eu-central-1:1:secret:team-a/openai' })],
  ['it chooses a role', grant(), inAws({}, { roleArn: 'arn:aws:iam::123456789012:role/admin' })],
])("the operator's identity is not lent where %s", (...[, granted, wanted]) => {
  const translation = run([granted, wanted]);
  expect(translation.fetches).toEqual([]);
  expect(reasonOf(translation)).toContain('IdentityNotGranted');
});

test("the operator's identity is lent below a prefix, and a withdrawn grant withdraws the credential", () => {
  const granted = run([grant(), inAws(), KEY]);
  expect(granted.fetches).toMatchObject([{ credentials: {}, reach: 'public' }]);
  const readings = readingOf(granted.fetches[0], { key: 'sk-1' });
  const served = run([grant(), inAws(), KEY], { previous: granted, readings });
  expect(fieldsOf(served)).toEqual([{ api_key: 'sk-1' }]);
  const withdrawn = run([organisation(), inAws(), KEY], { previous: served, readings });
  expect(withdrawn.fetches).toEqual([]);
  expect(fieldsOf(withdrawn)).toEqual([]);
  const broken = { ...KEY, metadata: { ...KEY.metadata, generation: 2 }, spec: { provider: 'nothing' } };
  const kept = run([grant(), inAws(), broken], { previous: served, readings });
  expect(fieldsOf(kept)).toEqual([{ api_key: 'sk-1' }]);
  expect(fieldsOf(run([organisation(), inAws(), broken], { previous: kept, readings }))).toEqual([]);
});

test('the mount counts for the prefix of Vault', () => {
  const own = (mount: string) =>
    reference({
      manager: 'Vault',
      vault: { address: VAULT.address, authMethod: 'Kubernetes', role: 'gatehouse', mount },
    });
  const granted = grant({ manager: 'Vault', pathPrefix: 'secret/team-a/', locations: ['https://vault.example.com/'] });
  expect(run([granted, own('secret')]).fetches).toHaveLength(1);
  expect(reasonOf(run([granted, own('other')]))).toContain('IdentityNotGranted');
});

test('the organisation needs no grant, reaches the cluster, and lends its value', () => {
  const shared = reference(
    {
      manager: 'AwsSecretsManager',
      aws: { region: 'eu-central-1', authMethod: 'OwnIdentity' },
      allowedWorkspaces: ['team-a'],
    },
    'gatehouse-system',
  );
  const first = run([organisation(), shared, KEY]);
  expect(first.fetches).toMatchObject([{ key: 'gatehouse-system/openai', reach: 'cluster' }]);
  const readings = readingOf(first.fetches[0], { key: 'sk-1' });
  expect(fieldsOf(run([organisation(), shared, KEY], { previous: first, readings }))).toEqual([{ api_key: 'sk-1' }]);
});
